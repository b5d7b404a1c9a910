import type { AnswerTimes, AttackResult } from './attack';
import { toTable } from '../support/faults/page';
import { ENDS } from './kinds';
import type { SoakResult } from './operations';

/** The report of one part of the soak. */
export interface PartReport {
	/** For people. */
	lines: string[];
	/** The problems, in words. */
	problems: string[];
}

/** By how many megabytes the memory in use may grow, however long the run. */
const LARGEST_GROWTH = { n8n: 30, crews: 10 };

/** How many times longer the p99 of correct callbacks may be under attack. */
const LARGEST_DELAY = 2;
/** With fewer correct callbacks, the p99 is chance, and only shown. A run of several minutes has more. */
const ENOUGH = { quiet: 150, attacked: 500 };

export function reportOperations({ accounts, before, after, problems }: SoakResult): PartReport {
	const kinds = accounts.byKind();
	const columns = ['started', ...ENDS, 'unknown'];
	const rows = kinds.map(({ kind, started, ends, unknown }) => [
		kind,
		...[started, ...ENDS.map((end) => ends[end]), unknown].map(String),
	]);
	const sums = columns.map((_, column) =>
		String(rows.reduce((sum, row) => sum + Number(row[column + 1]), 0)),
	);
	const megabytes = (from: number, to: number) => [`${from.toFixed(1)} MB`, `${to.toFixed(1)} MB`];
	return {
		lines: [
			toTable(['operation', ...columns], [...rows, ['all', ...sums]]),
			'',
			toTable(
				['in use', 'after the warm-up', 'at the end'],
				[
					["n8n's heap", ...megabytes(before.n8n, after.n8n)],
					["n8n's process", ...megabytes(before.n8nResident, after.n8nResident)],
					["the crew servers' heap", ...megabytes(before.crews, after.crews)],
				],
			),
		],
		problems: [
			...problems,
			...(['n8n', 'crews'] as const)
				.filter((whose) => after[whose] - before[whose] > LARGEST_GROWTH[whose])
				.map((whose) => `The heap of ${whose} has grown by more than ${LARGEST_GROWTH[whose]} MB`),
		],
	};
}

export function reportAttack(result: AttackResult): PartReport {
	const { rate, quietRate, quiet, attacked, answers, problems } = result;
	const times = (name: string, all: number, { count, median, p99 }: AnswerTimes) => [
		name,
		`${all.toFixed(1)} /s`,
		String(count),
		`${median.toFixed(0)} ms`,
		`${p99.toFixed(0)} ms`,
	];
	const isTold = quiet.count >= ENOUGH.quiet && attacked.count >= ENOUGH.attacked;
	const isTooSlow = isTold && attacked.p99 > LARGEST_DELAY * quiet.p99;
	return {
		lines: [
			toTable(
				['correct callbacks', 'requests of all sorts', 'sent', 'median', 'p99'],
				[times('without an attack', quietRate, quiet), times('under attack', rate, attacked)],
			),
			...(isTold ? [] : ['(too few for the p99 to count)']),
			'',
			toTable(['request', 'answers'], [...answers].sort()),
		],
		problems: [
			...problems,
			...(isTooSlow
				? [`Under attack, the p99 of correct callbacks is more than ${LARGEST_DELAY} times as long`]
				: []),
		],
	};
}
