import { lookForOtherWork } from './machine';
import { measureInPairs, type Pairs } from './pairs';
import type { Places, RowPlaces } from './places';
import type { Measure, Row, SideName } from './row';
import { lineOf, verdictOf } from './report';
import { missedPairs, type Result } from './statistics';

/** How many pairs count by default. */
const REPETITIONS = { timed: 5, counted: 1 };

/** This many pairs are enough if they agree on the target, or have taken this long, in milliseconds. */
const ENOUGH = { pairs: 3, time: 20_000 };

/** The outcome of a run. */
export interface Outcome {
	results: Result[];
	/** Rows that could not be measured, and why. */
	failed: string[];
	/** Rows that were left out, with what the machine lacks for them. */
	leftOut: string[];
	/** Shares of the machine, 0 to 1, that other processes used while nothing was measured. */
	otherWork: number[];
}

export interface RunOptions {
	places: Pick<Places, 'open' | 'endSharedN8n'>;
	log: (line: string) => void;
	/** Whether the run is being ended: then no further row starts. */
	isEnding: () => boolean;
	/** Keeps a profile of n8n, if profiles are wanted. */
	keepProfile?: (name: string, profile: unknown) => Promise<void>;
	/** Replaces the check of other work, in tests. */
	look?: () => Promise<number>;
}

/** Measures rows one after the other. A row that cannot be measured does not stop the others. */
export async function runRows(rows: readonly Row[], options: RunOptions): Promise<Outcome> {
	const { log, isEnding, look = lookForOtherWork } = options;
	const outcome: Outcome = { results: [], failed: [], leftOut: [], otherWork: [await look()] };
	for (const row of rows) {
		log(`\n${row.name}: ${row.what(row.size)}, compared with ${row.beside.name} (${row.start})`);
		const lacking = await row.lacks?.();
		if (lacking !== undefined) {
			outcome.leftOut.push(`${row.name}: ${lacking}`);
			log(`  left out: ${lacking}`);
			continue;
		}
		try {
			const result = await runRow(row, options);
			outcome.results.push(result);
			log(`  ${lineOf(result)}: ${verdictOf(result)}, after ${result.seconds} s`);
		} catch (error) {
			if (isEnding()) throw error;
			const { message } = error as Error;
			outcome.failed.push(`${row.name}: ${message}`);
			log(`  NOT MEASURED: ${message}`);
		}
		outcome.otherWork.push(await look());
	}
	return outcome;
}

/** Rejects with the reason why the row could not be measured. The next row then gets a new n8n. */
async function runRow(row: Row, options: RunOptions): Promise<Result> {
	const places = options.places.open(row);
	try {
		const result = await measureRow(row, places, options);
		await places.close();
		return result;
	} catch (error) {
		await Promise.allSettled([places.close(), options.places.endSharedN8n()]);
		throw error;
	}
}

async function measureRow(row: Row, places: RowPlaces, options: RunOptions): Promise<Result> {
	const began = performance.now();
	const sides = {
		ours: await row.ours.prepare(places.sides.ours),
		beside: await row.beside.prepare(places.sides.beside),
	};
	const { ours, beside, warmUp } = await measureInPairs(sides, {
		repetitions: row.repetitions ?? REPETITIONS[row.isCount ? 'counted' : 'timed'],
		isWarmedUp: row.start === 'warm' && !row.isCount,
		isEnough: (pairs) =>
			row.repetitions === undefined &&
			pairs.ours.length >= ENOUGH.pairs &&
			(agree(pairs, row) || performance.now() - began > ENOUGH.time),
		before: (side) => places.ready(side),
		onPair: (pair, one, other) => {
			const which = pair === 0 ? 'to warm up' : `pair ${pair}`;
			options.log(
				`  ${which}: ${Number(one.toPrecision(3))} compared with ${Number(other.toPrecision(3))} ${row.unit}`,
			);
		},
	});
	await keepProfiles(row, sides, places, options);
	return {
		row: row.name,
		what: row.what(row.size),
		start: row.start,
		unit: row.unit,
		target: row.target,
		isCount: row.isCount,
		ours: { name: row.ours.name, figures: ours },
		beside: { name: row.beside.name, figures: beside },
		warmUp,
		seconds: Math.round((performance.now() - began) / 1_000),
	};
}

/** Whether all pairs meet the target, or all miss it: the median of five would say the same as these three. */
function agree({ ours, beside }: Pairs, row: Row): boolean {
	const missed = missedPairs({
		ours: { name: row.ours.name, figures: ours },
		beside: { name: row.beside.name, figures: beside },
		target: row.target,
	});
	return missed === 0 || missed === ours.length;
}

async function keepProfiles(
	row: Row,
	sides: Record<SideName, Measure>,
	places: RowPlaces,
	{ keepProfile }: RunOptions,
): Promise<void> {
	if (keepProfile === undefined) return;
	for (const side of ['ours', 'beside'] as const) {
		await places.ready(side);
		const profile = await places.profile(side, sides[side]);
		if (profile !== undefined) await keepProfile(`${row.name} ${row[side].name}`, profile);
	}
}
