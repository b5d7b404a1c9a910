import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seededRandom';

/**
 * Begins `work` at random moments, whether earlier work is done or not: independent callers do not wait for each
 * other when their receiver is slow. Resolves when all of it is done.
 *
 * @param rate how many a second, on average
 * @param duration milliseconds
 * @param work gets the time at which it should have begun, in the terms of `performance.now()`
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

/** The value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
