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

/** Instead of an answer, for requests whose turn did not come in time. */
const BUSY = { status: 429, headers: {}, body: undefined, text: '' };

/** Instead of an answer, for a request whose turn had not come when the execution was cancelled, or stopped at another item. */
export class WasNotSent extends Error {
	constructor() {
		const message = 'The execution was cancelled before this item was started';
		super(message);
	}
}

/** Sends the requests of one execution to one crew when it is their turn, and repeats them if that is safe. */
export class Pacer implements RequestRunner {
	/** How many refused requests wait to be sent again. */
	private resting = 0;
	private readonly queues = new Set<RequestQueue>();
	private readonly end = new AbortController();

	/**
	 * @param queueFor returns the queue for requests with this method
	 * @param abortSignal cancels requests that were not sent
	 */
	constructor(
		private readonly queueFor: (method: Method) => RequestQueue,
		readonly abortSignal?: AbortSignal,
	) {
		if (abortSignal?.aborted) this.end.abort();
		abortSignal?.addEventListener('abort', () => {
			this.cancel();
		});
	}

	/** How many requests to handle at the moment: those that may be running, and those that rest. */
	limit(method: Method): number {
		return this.queueFor(method).limiter.limit + this.resting;
	}

	/** Sends nothing more. The answers to running requests are still awaited. */
	cancel(): void {
		this.end.abort();
		for (const queue of this.queues) queue.cancel(this, new WasNotSent());
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
			if (this.isCancelled()) throw new WasNotSent();
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
	// The caller asks again anyway, so this attempt may have had little time.
	const isUnheard = isOnce && httpCode === undefined;
	return { kind: isUnheard ? 'ignored' : (outcome ?? 'ignored') };
}
