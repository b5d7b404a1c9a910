import { forEachLimited } from '../api/forEachLimited';
import { pause } from '../api/pause';
import type { CrewClient } from '../api/client';
import { ask, isFinal, isOver, type Watched } from './watch';

/** Milliseconds. The first question comes early, for quick crews; the pauses grow for slow ones. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
const GROWTH = 1.5;
/** A server that asks to be left alone for longer is asked again then all the same. */
const LONGEST_RETRY_AFTER = 600_000;

interface PollSettings {
	deadline: Date;
	/** Milliseconds. */
	pollInterval: number;
	maxParallel: number;
	abortSignal?: AbortSignal;
}

/**
 * Asks for the status of all executions, round by round, until each has settled, the deadline has
 * passed or `abortSignal` fires. Faults that may pass are waited out.
 */
export async function poll(
	client: CrewClient,
	watched: readonly Watched[],
	{ deadline, pollInterval, maxParallel, abortSignal }: PollSettings,
): Promise<void> {
	const left = () => deadline.getTime() - Date.now();
	let interval = pollInterval;
	let next = Math.min(FIRST_PAUSE, pollInterval);
	for (;;) {
		await pause(Math.max(0, Math.min(next, left())), abortSignal);
		if (abortSignal?.aborted) return;
		const open = watched.filter((one) => !isOver(one));
		let retryAfter = 0;
		await forEachLimited(open, maxParallel, async (one) => {
			const failure = await ask(client, one);
			if (abortSignal?.aborted) return;
			if (failure && isFinal(failure, one)) one.failure = failure;
			retryAfter = Math.max(retryAfter, failure?.retryAfter ?? 0);
		});
		if (open.every(isOver) || left() <= 0) return;
		const askedFor = Math.min(retryAfter, LONGEST_RETRY_AFTER);
		next = Math.max(interval * (0.9 + Math.random() * 0.2), askedFor);
		interval = Math.min(Math.max(LONGEST_PAUSE, pollInterval), interval * GROWTH);
	}
}
