import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seededRandom';

/**
 * Begins `work` at random moments, whatever has become of what was begun before: callers that know nothing of each
 * other do not wait when their receiver is slow. Comes back when all of it is done.
 *
 * @param rate how many a second, on average
 * @param duration milliseconds
 * @param work is given the moment at which it should have begun, as `performance.now()` tells it
 */
export async function arrive(
	rate: number,
	duration: number,
	random: SeededRandom,
	work: (due: number) => Promise<void>,
): Promise<void> {
	const begin = performance.now();
	const begun: Array<Promise<void>> = [];
	const gap = () => (-Math.log(1 - random.fraction()) / rate) * 1_000;
	for (let at = gap(); at < duration; at += gap()) {
		await sleep(Math.max(0, begin + at - performance.now()));
		begun.push(work(begin + at));
	}
	await Promise.all(begun);
}

/** The value below which this share of all values is. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
