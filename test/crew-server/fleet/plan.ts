import type { SeededRandom } from '../../support/seededRandom';
import { HARMS } from './harms';

export type Crew = 'played' | 'crewai';

/** Harms at once, with crews of one kind. */
export interface Round {
	crew: Crew;
	names: readonly string[];
}

interface Wanted {
	harm?: string;
	crew?: string;
	sample: boolean;
	random: SeededRandom;
	/** The kinds of crews that can run here. */
	crews: readonly Crew[];
}

/** Trouble with servers and with PostgreSQL, mostly two harms at once, to keep the sample small. */
const SAMPLE = [
	['server-killed', 'commit-unanswered'],
	['server-stopped', 'database-crashed'],
	['rolling'],
	['network-stalled', 'notices-cut'],
	['connections-exhausted', 'commit-unsent'],
	['joins', 'database-restarted'],
	['disk-full'],
];

/** Each harm alone with the first crew; then alone with the others, alternating with pairs in an order from the seed. */
export function roundsOf({ harm, crew, sample, random, crews }: Wanted): Round[] {
	const chosen = crews.filter((one) => one === (crew ?? one));
	if (chosen.length === 0) throw new Error(`--crew needs ${crews.join(' or ')}, not "${crew}"`);
	if (sample) return SAMPLE.map((names) => ({ crew: 'played', names }));
	const all = Object.keys(HARMS);
	if (harm !== undefined) {
		const names = harm.split('+');
		const unknown = names.find((name) => !all.includes(name));
		if (unknown !== undefined) {
			throw new Error(`There is no harm "${unknown}": choose from ${all.join(', ')}`);
		}
		return chosen.filter((one) => fits(one)(names)).map((one) => ({ crew: one, names }));
	}
	const [, ...harms] = all;
	const pairs = harms.flatMap((one, index) => harms.slice(index + 1).map((other) => [one, other]));
	const withCrew = (one: Crew, lists: ReadonlyArray<readonly string[]>): Round[] =>
		lists.filter(fits(one)).map((names) => ({ crew: one, names }));
	const alone = all.map((name) => [name]);
	const [first = 'played', ...others] = chosen;
	const further = others.flatMap((one) => withCrew(one, alone));
	const pairsOfAll = random.shuffle(chosen.flatMap((one) => withCrew(one, pairs)));
	return [...withCrew(first, alone), ...inTurn(further, pairsOfAll)];
}

/** Entries of two lists in turn, and the rest of the longer one. */
function inTurn<Entry>(some: readonly Entry[], others: readonly Entry[]): Entry[] {
	const length = Math.max(some.length, others.length);
	return Array.from({ length }).flatMap((_, index) =>
		[some[index], others[index]].filter((entry) => entry !== undefined),
	);
}

/** Whether all harms are possible with a crew. */
const fits = (crew: Crew) => (names: readonly string[]) =>
	crew === 'crewai' || names.every((name) => !HARMS[name]?.needsProcesses);
