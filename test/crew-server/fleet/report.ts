import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

import { repositoryFolder } from '../../../sandbox/src/paths';
import { RULES, type Rule } from './checker';
import { HARMS } from './harms';
import type { KeptOutcome } from './outcomes';
import type { Crew } from './plan';
import type { Outcome } from './round';

const PAGE = join(repositoryFolder, 'docs', 'reports', 'fleet.md');

const rules = Object.keys(RULES) as Rule[];

const TITLES: Record<Crew, string> = {
	played: 'Played crews, each harm alone',
	crewai: 'Real crews, each harm alone',
};

/** Writes docs/reports/fleet.md. */
export async function writeReport(
	outcomes: readonly KeptOutcome[],
	args: readonly string[],
): Promise<void> {
	const today = new Date().toISOString().slice(0, 10);
	const command = ['npm run test:fleet --', ...args].join(' ');
	const alone = (crew: Crew) =>
		outcomes.filter((one) => one.crew === crew && one.names.length === 1);
	const pairs = outcomes.filter(({ names }) => names.length > 1);
	const text = [
		'# Several servers in trouble',
		`${today}, ${each(outcomes.map(({ commit }) => commit))}: written by \`${command}\`, ${each(outcomes.map(({ seed }) => `seed ${seed}`))}.`,
		'Three crew servers share one PostgreSQL (Debian’s). Crews are kicked off all the time, with an `Idempotency-Key`; an unanswered kickoff is repeated at the next server. Meanwhile, harm is done. A history records everything that can be seen from outside, and the progress of the servers’ workers; at the end, a checker judges it. Played crews have four tasks, one of which asks a person. Real crews run on CrewAI with a scripted model.',
		'## What is checked',
		rules.map((rule) => `- **${rule}**: ${RULES[rule]}.`).join('\n'),
		'In the tables, ✓ means that the checker found nothing, and a number is how many faults it found. “handover” is judged only if all servers shut down cleanly.',
		...(['played', 'crewai'] as const).flatMap((crew) =>
			alone(crew).length === 0 ? [] : [`## ${TITLES[crew]}`, tableOf(alone(crew))],
		),
		...(pairs.length === 0 ? [] : ['## Two harms at once', tableOfPairs(pairs)]),
	];
	const style = await resolveConfig(PAGE);
	writeFileSync(PAGE, await format(text.join('\n\n'), { ...style, filepath: PAGE }));
}

/** The words without repetitions. */
const each = (words: readonly string[]) => [...new Set(words)].join(', ');

const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>) =>
	[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function tableOf(outcomes: readonly Outcome[]): string {
	return table(
		['harm', 'executions', 'effects', ...rules],
		outcomes.map((outcome) => {
			const [name = ''] = outcome.names;
			const what = HARMS[name]?.what ?? name;
			if (outcome.lacks !== undefined)
				return [what, `left out: ${outcome.lacks}`, '', ...rules.map(() => '')];
			return [
				...[what, String(outcome.executions), String(outcome.effects)],
				...rules.map((rule) => cellOf(rule, outcome)),
			];
		}),
	);
}

function cellOf(rule: Rule, { names, faults }: Outcome): string {
	if (rule === 'handover' && !names.every((name) => HARMS[name]?.isOrderly)) return '';
	const count = faults.filter((fault) => fault.rule === rule).length;
	return count === 0 ? '✓' : String(count);
}

function tableOfPairs(outcomes: readonly Outcome[]): string {
	return table(
		['crews', 'harms', 'executions', 'effects', 'result'],
		outcomes.map(({ crew, names, lacks, executions, effects, faults }) => [
			...[crew === 'played' ? 'played' : 'real', names.join(', ')],
			...(lacks === undefined
				? [String(executions), String(effects), resultOf(faults.map(({ rule }) => rule))]
				: ['', '', `left out: ${lacks}`]),
		]),
	);
}

function resultOf(broken: readonly Rule[]): string {
	const counts = [...new Set(broken)].map(
		(rule) => `${rule} ${broken.filter((one) => one === rule).length}`,
	);
	return counts.length === 0 ? '✓' : counts.join(', ');
}
