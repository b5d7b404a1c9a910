/** What was measured of one contender: a figure for each round. */
export interface Figures {
	contender: string;
	rounds: number[];
}

/** What ours is compared with. */
export interface Rival extends Figures {
	/** The largest ratio of ours to this that is wanted; for figures of which less is better. */
	most?: number;
	/** The smallest ratio that is wanted; for figures of which more is better. */
	least?: number;
}

/** One line of the table. */
export interface Comparison {
	measure: string;
	/** As it stands behind a figure: `ms`, `MB`, … */
	unit: string;
	ours: Figures;
	rivals: Rival[];
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const [lower = NaN, upper = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return (lower + upper) / 2;
}

/**
 * How ours compares with a rival. Each round measured one after the other, so the ratio is the median of the rounds'
 * own ratios: what slows the machine down for a while slows both. Where there are not as many rounds, the medians'.
 */
export function ratioOf(ours: Figures, rival: Figures): number {
	if (ours.rounds.length !== rival.rounds.length) {
		return median(ours.rounds) / median(rival.rounds);
	}
	return median(ours.rounds.map((figure, round) => figure / (rival.rounds[round] ?? NaN)));
}

/** Whether a ratio is what is wanted, or no more than `leeway` times worse. */
export function holds(ratio: number, { most, least }: Rival, leeway = 1): boolean {
	if (most !== undefined && !(ratio <= most * leeway)) return false;
	return least === undefined || ratio >= least / leeway;
}

/** Whether a rival comes with a target. */
export function hasTarget({ most, least }: Rival): boolean {
	return most !== undefined || least !== undefined;
}
