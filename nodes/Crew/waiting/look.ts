import type { CrewClient } from '../api/client';
import { pause } from '../api/pause';
import { ask, findRunning, isOver, type Watched } from './watch';

/** Milliseconds after the kickoff. */
const FIRST_LOOK = 1_000;
/** A look must not outlast its time by much. */
const LOOK_TIMEOUT = 5_000;
const LARGEST_MEMORY = 1_000;

/** Crews, by base URL, of which a look was in vain: they take longer. */
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
 * result without parking. Crews known to take longer are not looked at.
 */
export async function lookBeforeParking(
	client: CrewClient,
	baseUrl: string,
	watched: readonly Watched[],
	{ lookTime, maxParallel, abortSignal }: LookSettings,
): Promise<void> {
	if (lookTime <= 0 || slowCrews.has(baseUrl)) return;
	const begin = Date.now();
	for (const time of new Set([Math.min(FIRST_LOOK, lookTime), lookTime])) {
		await pause(begin + time - Date.now(), abortSignal);
		if (abortSignal?.aborted) return;
		await findRunning(watched, async (one) => await ask(client, one, LOOK_TIMEOUT), maxParallel);
		if (watched.every(isOver)) return;
	}
	rememberPace(baseUrl, 'slow');
}
