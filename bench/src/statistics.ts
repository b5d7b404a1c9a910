import type { Row, Target } from './row';

/** The figures of one side, in the order in which they were taken. */
export interface Figures {
	name: string;
	figures: number[];
}

/** The result of a row. Figures at the same index are a pair, taken one right after the other. */
export interface Result extends Pick<Row, 'unit' | 'start' | 'target' | 'isCount'> {
	row: string;
	what: string;
	ours: Figures;
	beside: Figures;
	/** The pair before those that count. */
	warmUp?: { ours: number; beside: number };
	/** How long the row took, starts of n8n included. */
	seconds: number;
}

/** The median of some values, and their range. */
export interface Summary {
	median: number;
	least: number;
	most: number;
}

/** A quantile: the smallest value that is at least as large as this share of all. @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? NaN;
}

/** How many times worse than the target every pair must be so that noise cannot explain it. */
const BEYOND_NOISE = 2;

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const [lower = NaN, upper = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return (lower + upper) / 2;
}

export function summaryOf(values: readonly number[]): Summary {
	return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Ours divided by beside, pair by pair: a temporarily slow machine slows both sides of a pair. */
export function ratiosOf({ ours, beside }: Pick<Result, 'ours' | 'beside'>): number[] {
	return ours.figures.map((figure, pair) => figure / (beside.figures[pair] ?? NaN));
}

/** Whether a ratio is good enough, or no more than `leeway` times worse. */
export function meets(ratio: number, target: Target, leeway = 1): boolean {
	return 'most' in target ? ratio <= target.most * leeway : ratio >= target.least / leeway;
}

/** Whether the median ratio misses the row's target; a row without one misses nothing. */
export function isMissed(result: Pick<Result, 'ours' | 'beside' | 'target'>): boolean {
	return result.target !== undefined && !meets(median(ratiosOf(result)), result.target);
}

/** How many pairs miss the target, each by itself. */
export function missedPairs(result: Pick<Result, 'ours' | 'beside' | 'target'>): number {
	const { target } = result;
	return target === undefined ? 0 : ratiosOf(result).filter((one) => !meets(one, target)).length;
}

/**
 * Whether a miss cannot be noise: the miss of a count, or a measurement in which every pair is more than twice as bad as
 * the target.
 */
export function isMissedBeyondNoise(
	result: Pick<Result, 'ours' | 'beside' | 'target' | 'isCount'>,
): boolean {
	const { target, isCount } = result;
	if (target === undefined) return false;
	if (isCount) return isMissed(result);
	return ratiosOf(result).every((ratio) => !meets(ratio, target, BEYOND_NOISE));
}
