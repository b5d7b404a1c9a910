import { CrewApiError } from './errors';
import type { CrewRequest } from './exchange';
import { pause } from './pause';

const TRIES = 3;
const FIRST_PAUSE = 500;
/** If a server asks for more, the request is not repeated: the message says how long it asked to wait. */
export const LONGEST_PAUSE = 60_000;

/** Whether a failed request can be repeated without the risk that the crew does something twice. */
export type Repeatable = (failure: CrewApiError) => boolean | Promise<boolean>;

/** For callers that ask again anyway: no repeats, and a number of milliseconds to wait for its turn. */
export interface Once {
	patience: number;
}

/** Runs the requests of a client. */
export interface RequestRunner {
	run<T>(
		method: CrewRequest['method'],
		attempt: () => Promise<T>,
		how: Repeatable | Once,
	): Promise<T>;
	readonly abortSignal?: AbortSignal;
}

/** Sends at once, and never repeats. */
export const AT_ONCE: RequestRunner = { run: async (_method, attempt) => await attempt() };

/** For reading, which changes nothing at the crew. */
export const whenTransient: Repeatable = (failure) => failure.transient;

/** For starting and resuming, which cost money: only if the request cannot have arrived. */
export const whenNotArrived: Repeatable = (failure) => failure.transient && !failure.mayHaveArrived;

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
