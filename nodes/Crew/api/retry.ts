import { CrewApiError } from './errors';
import { pause } from './pause';

const TRIES = 3;
const FIRST_PAUSE = 500;
/** A server that asks for more than this is not waited for: the message tells for how long it asked. */
export const LONGEST_PAUSE = 60_000;

/** Whether what failed may be sent again without the risk that the crew does it twice. */
export type Repeatable = (failure: CrewApiError) => boolean;

/** Reading changes nothing at the crew. */
export const whenTransient: Repeatable = (failure) => failure.transient;

/** Starting and resuming cost money: once only, unless the request cannot have arrived. */
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
		const outcome = await settle(attempt);
		if (outcome.failure === undefined) return outcome.value;
		const milliseconds = pauseAfter(tries, outcome.failure, isRepeatable);
		if (milliseconds === undefined) throw outcome.failure;
		await pause(milliseconds, abortSignal);
		if (abortSignal?.aborted) throw outcome.failure;
	}
}

async function settle<T>(
	attempt: () => Promise<T>,
): Promise<{ value: T; failure?: undefined } | { failure: Error }> {
	try {
		return { value: await attempt() };
	} catch (error) {
		return { failure: error as Error };
	}
}

/** Milliseconds until the next try, `undefined` where there is none. */
function pauseAfter(tries: number, failure: Error, isRepeatable: Repeatable): number | undefined {
	if (!(failure instanceof CrewApiError) || tries >= TRIES || !isRepeatable(failure))
		return undefined;
	const { retryAfter } = failure;
	if (retryAfter !== undefined) return retryAfter <= LONGEST_PAUSE ? retryAfter : undefined;
	return FIRST_PAUSE * 2 ** (tries - 1) * (0.5 + Math.random());
}
