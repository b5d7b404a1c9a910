import type { CrewClient } from '../api/client';
import { forEachLimited } from '../api/forEachLimited';
import { pause } from '../api/pause';
import { ask, findRunning, isOver, type Watched } from './watch';

/** Milliseconds after the kickoff. */
const FIRST_LOOK = 1_000;
/** A look must not outlast its time by much, however slowly the crew answers and for how many items. */
const LOOK_TIMEOUT = 5_000;
const LARGEST_MEMORY = 1_000;

/** Crews, by base URL, of which a look was in vain: they are parked at once. */
const slowCrews = new Set<string>();

/** Remembers whether a crew ends quickly, so that the next look is made only where it pays. */
export function rememberPace(baseUrl: string, pace: 'quick' | 'slow'): void {
	if (pace === 'quick') slowCrews.delete(baseUrl);
	else if (slowCrews.size < LARGEST_MEMORY) slowCrews.add(baseUrl);
}

interface LookSettings {
	/** Milliseconds. */
	lookTime: number;
	maxParallel: number;
	abortSignal?: AbortSignal;
}

/**
 * Looks twice within `lookTime` whether all executions have settled, so that quick crews give their
 * result without parking. A single one of a crew known to take longer is not looked at; among several
 * there may be some that have ended, whose results are kept with the parked execution.
 */
export async function lookBeforeParking(
	client: CrewClient,
	baseUrl: string,
	watched: readonly Watched[],
	{ lookTime, maxParallel, abortSignal }: LookSettings,
): Promise<void> {
	const isAlone = watched.length === 1;
	if (lookTime <= 0 || (isAlone && slowCrews.has(baseUrl))) return;
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
	if (isAlone && !isEnd()) rememberPace(baseUrl, 'slow');
}
