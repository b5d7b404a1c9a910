import { unsafeUniformIntDistribution, xoroshiro128plus } from 'pure-rand';

const LARGEST_SEED = 2 ** 31 - 1;

/** Repeatable random choices: the same seed gives the same choices in the same order. */
export class SeededRandom {
	private readonly source;

	/** @param seed a whole number (default: random) */
	constructor(readonly seed: number = Math.floor(Math.random() * LARGEST_SEED)) {
		this.source = xoroshiro128plus(seed);
	}

	/** A whole number, including both ends. */
	integer(from: number, to: number): number {
		return unsafeUniformIntDistribution(from, to, this.source);
	}

	/** From 0 to just below 1. */
	fraction(): number {
		return this.integer(0, LARGEST_SEED) / (LARGEST_SEED + 1);
	}

	pick<T>(choices: readonly T[]): T {
		const chosen = choices[this.integer(0, choices.length - 1)];
		if (chosen === undefined) throw new Error('There is nothing to choose from');
		return chosen;
	}

	/** The same entries in another order. */
	shuffle<T>(entries: readonly T[]): T[] {
		const shuffled = [...entries];
		for (let last = shuffled.length - 1; last > 0; last--) {
			const other = this.integer(0, last);
			[shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
		}
		return shuffled;
	}
}
