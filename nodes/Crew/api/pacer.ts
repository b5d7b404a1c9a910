import type { Outcome } from '../pacing/concurrencyLimiter';
import type { RequestQueue } from '../pacing/requestQueue';
import { refusal, type CrewApiError } from './errors';
import type { CrewRequest } from './exchange';
import { pause } from './pause';
import {
	LONGEST_PAUSE,
	withRetries,
	type Once,
	type RequestRunner,
	type Repeatable,
} from './retry';

type Method = CrewRequest['method'];

/** In the place of an answer, for those whose turn did not come in time. */
const BUSY = { status: 429, headers: {}, body: undefined, text: '' };

/** Sends the requests of one execution to one crew when their turn has come, and again if that is safe. */
export class Pacer implements RequestRunner {
	/** Refused requests that wait until the crew lets them come again. */
	private resting = 0;
	private readonly queues = new Set<RequestQueue>();
	private readonly end = new AbortController();

	/**
	 * @param queueFor gives the queue for requests with this method
	 * @param notSent makes the error for what was cancelled before it was sent
	 * @param abortSignal cancels what was not sent
	 */
	constructor(
		private readonly queueFor: (method: Method) => RequestQueue,
		private readonly notSent: () => Error,
		readonly abortSignal?: AbortSignal,
	) {
		if (abortSignal?.aborted) this.end.abort();
		abortSignal?.addEventListener('abort', () => {
			this.cancel();
		});
	}

	/** How many requests to have in hand, for now: those that may be under way, and those that rest. */
	limit(method: Method): number {
		return this.queueFor(method).limiter.limit + this.resting;
	}

	/** Sends nothing more. What is under way is heard out. */
	cancel(): void {
		this.end.abort();
		for (const queue of this.queues) queue.cancel(this, this.notSent());
	}

	/**
	 * Runs `attempt` when its turn comes. A request that the crew refuses is sent again for up to ten
	 * minutes, as long as the crew takes others. `how` decides about other failures.
	 *
	 * @throws the failure of the last attempt
	 */
	async run<T>(method: Method, attempt: () => Promise<T>, how: Repeatable | Once): Promise<T> {
		if (typeof how !== 'function') return await this.runInTurn(method, attempt, how);
		const inTurn = async () => await this.runInTurn(method, attempt);
		return await withRetries(inTurn, how, this.end.signal);
	}

	private async runInTurn<T>(method: Method, attempt: () => Promise<T>, once?: Once): Promise<T> {
		const queue = this.queueFor(method);
		this.queues.add(queue);
		for (let refusedAt: number | undefined; ;) {
			if (this.isCancelled()) throw this.notSent();
			const slot = await queue.acquire(this, once?.patience, () => refusal('status', BUSY));
			const [settled] = await Promise.allSettled([attempt()]);
			if (settled.status === 'fulfilled') {
				queue.release(slot, { kind: 'success' });
				return settled.value;
			}
			const failure = settled.reason as Error;
			const now = performance.now();
			refusedAt ??= now;
			const isPatient = !once && !this.isCancelled() && queue.limiter.isPatient(refusedAt, now);
			const outcome = outcomeOf(failure, once !== undefined, isPatient);
			queue.release(slot, outcome);
			if (outcome.kind !== 'refused' || !outcome.isSentAgain) throw failure;
			await this.rest(outcome.retryAfter);
			if (this.isCancelled()) throw failure;
		}
	}

	private isCancelled(): boolean {
		return this.end.signal.aborted;
	}

	private async rest(milliseconds = 0): Promise<void> {
		if (milliseconds === 0) return;
		this.resting++;
		await pause(milliseconds, this.end.signal);
		this.resting--;
	}
}

function outcomeOf(failure: Error, isOnce: boolean, isPatient: boolean): Outcome {
	const { outcome, httpCode, retryAfter } = failure as Partial<CrewApiError>;
	if (outcome === 'refused') {
		const isSentAgain = isPatient && (retryAfter ?? 0) <= LONGEST_PAUSE;
		return { kind: outcome, isSentAgain, retryAfter };
	}
	// What is asked again anyway may have had little time.
	const isUnheard = isOnce && httpCode === undefined;
	return { kind: isUnheard ? 'ignored' : (outcome ?? 'ignored') };
}
