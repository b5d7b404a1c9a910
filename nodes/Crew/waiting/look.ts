import type { CrewClient } from '../api/client';
import { forEachLimited } from '../api/forEachLimited';
import { pause } from '../api/pause';
import { ask, findRunning, isOver, type Watched } from './watch';

/** Milliseconds after the kickoff. */
const FIRST_LOOK = 1_000;
/** A look must not outlast its time by much, however slowly the crew answers and for how many items. */
const LOOK_TIMEOUT = 5_000;

interface LookSettings {
	/** Milliseconds. */
	lookTime: number;
	maxParallel: number;
	abortSignal?: AbortSignal;
}

/**
 * Looks twice within `lookTime` whether all executions have settled, so that quick crews give their
 * results without parking. The results of those that have are kept with the parked execution.
 */
export async function lookBeforeParking(
	client: CrewClient,
	watched: readonly Watched[],
	{ lookTime, maxParallel, abortSignal }: LookSettings,
): Promise<void> {
	if (lookTime <= 0) return;
	const begin = Date.now();
	const askOne = async (one: Watched) => {
		if (Date.now() - begin > lookTime + LOOK_TIMEOUT) return;
		await ask(client, one, LOOK_TIMEOUT);
	};
	const isEnd = () => abortSignal?.aborted === true || watched.every(isOver);
	if (lookTime > FIRST_LOOK) {
		await pause(FIRST_LOOK, abortSignal);
		if (!isEnd()) await findRunning(watched, askOne, maxParallel);
	}
	if (isEnd()) return;
	await pause(begin + lookTime - Date.now(), abortSignal);
	const open = watched.filter((one) => !isOver(one));
	if (!isEnd()) await forEachLimited(open, maxParallel, askOne);
}
