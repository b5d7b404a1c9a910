import type { Outcome } from '../pacing/concurrencyLimiter';
import type { RequestQueue } from '../pacing/requestQueue';
import { CrewApiError, refusal } from './errors';
import type { CrewRequest } from './exchange';
import { pause } from './pause';

type Method = CrewRequest['method'];

const TRIES = 3;
const FIRST_PAUSE = 500;
/** If a server asks for more, the request is not repeated: the message says how long it asked to wait. */
const LONGEST_PAUSE = 60_000;

/** Whether a failed request can be repeated without the risk that the crew does something twice. */
export type Repeatable = (failure: CrewApiError) => boolean | Promise<boolean>;

/** For callers that ask again anyway: no repeats, and a number of milliseconds to wait for its turn. */
export interface Once {
	patience: number;
}

/** Runs the requests of a client. */
export interface RequestRunner {
	run<T>(method: Method, attempt: () => Promise<T>, how: Repeatable | Once): Promise<T>;
	readonly abortSignal?: AbortSignal;
}

/** Sends at once, and never repeats. */
export const AT_ONCE: RequestRunner = { run: async (_method, attempt) => await attempt() };

/** For reading, which changes nothing at the crew. */
export const whenTransient: Repeatable = (failure) => failure.transient;

/** For starting and resuming, which cost money: only if the request cannot have arrived. */
export const whenNotArrived: Repeatable = (failure) => failure.transient && !failure.mayHaveArrived;

/** Instead of an answer, for requests whose turn did not come in time. */
const BUSY = { status: 429, headers: {}, body: undefined, text: '' };

/** Instead of an answer, for a request whose turn had not come when the execution was cancelled, or stopped at another item. */
export class WasNotSent extends Error {
	override readonly message = 'The execution was cancelled before this item was started';
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

/**
 * Runs `attempt` up to three times, with exponential pauses and jitter, or the pause that the server
 * asked for (`Retry-After`, up to 60 s).
 *
 * @throws the failure of the last attempt
 */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	isRepeatable: Repeatable,
	abortSignal?: AbortSignal,
): Promise<T> {
	for (let tries = 1; ; tries++) {
		const [settled] = await Promise.allSettled([attempt()]);
		if (settled.status === 'fulfilled') return settled.value;
		const failure = settled.reason as Error;
		const canRepeat = failure instanceof CrewApiError && tries < TRIES;
		if (!canRepeat || !(await isRepeatable(failure))) throw failure;
		const ownPause = FIRST_PAUSE * 2 ** (tries - 1) * (0.5 + Math.random());
		const { retryAfter = ownPause } = failure;
		if (retryAfter > LONGEST_PAUSE) throw failure;
		await pause(retryAfter, abortSignal);
		if (abortSignal?.aborted) throw failure;
	}
}
