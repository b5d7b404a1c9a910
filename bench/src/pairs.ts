import type { Measure, SideName } from './row';

/** The figures of both sides; those at the same index are a pair. */
export interface Pairs {
	ours: number[];
	beside: number[];
	warmUp?: { ours: number; beside: number };
}

export interface PairOptions {
	/** The most pairs that count. */
	repetitions: number;
	/** Says, given the pairs so far, whether they are enough. */
	isEnough?: (pairs: Pairs) => boolean;
	/** Whether to take one pair before them that does not count. */
	isWarmedUp: boolean;
	/** Awaited before each figure of a side, so that no figure includes what the one before left behind. */
	before: (side: SideName) => Promise<unknown>;
	/** Called for each pair; `pair` is 0 for the one that does not count. */
	onPair?: (pair: number, ours: number, beside: number) => void;
}

/**
 * Measures two sides in turn: ours, beside, ours, beside, and so on.
 *
 * @throws what a side throws; an error if a figure is not a number, or the divisor is zero
 */
export async function measureInPairs(
	sides: Record<SideName, Measure>,
	{ repetitions, isEnough, isWarmedUp, before, onPair }: PairOptions,
): Promise<Pairs> {
	const pairs: Pairs = { ours: [], beside: [] };
	for (let pair = isWarmedUp ? 0 : 1; pair <= repetitions; pair++) {
		await before('ours');
		const ours = await sides.ours();
		await before('beside');
		const beside = await sides.beside();
		if (!Number.isFinite(ours) || !Number.isFinite(beside) || beside <= 0) {
			throw new Error(`${ours} and ${beside} are no figures that can be compared`);
		}
		onPair?.(pair, ours, beside);
		if (pair === 0) {
			pairs.warmUp = { ours, beside };
		} else {
			pairs.ours.push(ours);
			pairs.beside.push(beside);
			if (isEnough?.(pairs)) break;
		}
	}
	return pairs;
}
