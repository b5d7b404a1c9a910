import {
	isMissed,
	isMissedBeyondNoise,
	median,
	missedPairs,
	ratiosOf,
	summaryOf,
	type Result,
} from './statistics';

/** What a run of the bench found. */
export interface Report {
	/** ISO 8601, of the end. */
	measuredAt: string;
	/** The measured commit, as `commit 1a2b3c4`. */
	commit: string;
	isQuick: boolean;
	/** How long it took, and how long it should take at most on an idle machine. */
	seconds: number;
	plannedSeconds: number;
	/** Of the package, and of n8n. */
	versions: Record<string, string>;
	machine: string;
	/** Shares of the machine, 0 to 1, that other processes used while nothing was measured. */
	otherWork: number[];
	/** Rows that were left out, with what the machine lacks for them. */
	leftOut: string[];
	results: Result[];
}

/** From this share of the machine on, other processes do more than an idle desktop does. */
const MUCH_OTHER_WORK = 0.1;

/** Whether the machine had so much other work that figures are rough. */
function isBusy({ otherWork }: Report): boolean {
	return median(otherWork) > MUCH_OTHER_WORK;
}

/** The results that miss their target by too much to be noise; on a busy machine, only counts. */
export function clearMisses(report: Report): Result[] {
	const isTold = ({ isCount }: Result) => isCount === true || !isBusy(report);
	return report.results.filter((result) => isTold(result) && isMissedBeyondNoise(result));
}

/** `met`, `MISSED` with how clearly, or that there is no target. */
export function verdictOf(result: Result): string {
	const { target, ours } = result;
	if (target === undefined) return 'no target';
	const count = ours.figures.length;
	const pairs = count === 1 ? '' : ` (${missedPairs(result)} of ${count} pairs)`;
	return isMissed(result) ? `MISSED${pairs}` : 'met';
}

/** A result in one line: the ratio, its target, and the figures. */
export function lineOf(result: Result): string {
	const { ours, beside, unit, target } = result;
	const wanted = target === undefined ? '' : `, target ${targetText(target)}`;
	const figures = [ours, beside].map(({ name, figures: all }) =>
		`${name} ${number(median(all))} ${unit}`.trim(),
	);
	return `ratio ${spread(ratiosOf(result))}${wanted}; ${figures.join(', ')}`;
}

/** Why targets are missed, by row. */
const REASONS = new Map([
	['slow-kickoffs-http-cold', 'the first requests find out how many at once the crew takes'],
	['join-memory', "n8n reads a waiting execution's items again"],
	['resume', 'the node asks the crew first'],
	['wait-cpu', 'the node asks the crew first'],
]);

function missText(result: Result): string {
	const { row, what, beside } = result;
	const reason = REASONS.get(row);
	const why = reason === undefined ? '' : `. Why: ${reason}`;
	return `MISSED: ${row} (${what}), compared with ${beside.name}: ${lineOf(result)}${why}`;
}

/** What comes before the table: what was missed, what else the machine did, and how long the run took. */
export function summaryLines(report: Report): string[] {
	const { results, isQuick } = report;
	const withTarget = results.filter(({ target }) => target !== undefined);
	const missed = withTarget.filter(isMissed);
	const clear = clearMisses(report).map(({ row }) => row);
	return [
		`${withTarget.length - missed.length} of ${withTarget.length} targets are met.`,
		...missed.map(missText),
		...(isQuick && clear.length > 0 ? [`Too much to be noise: ${clear.join(', ')}`] : []),
		...report.leftOut.map((why) => `Left out: ${why}`),
		otherWorkText(report),
		timeText(report),
	];
}

function otherWorkText(report: Report): string {
	const { median: usual, most } = summaryOf(report.otherWork);
	const warning = isBusy(report)
		? ' That is much: take the figures as rough, and measure again.'
		: '';
	return `In moments in which nothing was measured, other work took ${percent(usual)} of the processors (median; at most ${percent(most)}).${warning}`;
}

function timeText({ seconds, plannedSeconds }: Report): string {
	return seconds > plannedSeconds
		? `It took ${minutes(seconds)}, longer than planned (at most ${minutes(plannedSeconds)}).`
		: `It took ${minutes(seconds)}; at most ${minutes(plannedSeconds)} are planned.`;
}

/** The report as Markdown: ratios first, since only they can be compared across machines. */
export function toMarkdown(report: Report): string {
	const { results, versions, machine, measuredAt, commit, isQuick } = report;
	const head = [
		'Row',
		'What',
		'Start',
		'Compared with',
		'Ratio',
		'Target',
		'Verdict',
		'Ours',
		'Theirs',
	];
	return [
		'# Figures',
		'',
		`Made by \`npm run bench${isQuick ? ' -- --quick' : ''}\` on ${measuredAt.slice(0, 10)}, ${commit}; [README.md](README.md) says how to read it.`,
		`${Object.entries(versions)
			.map(([name, version]) => `${name} ${version}`)
			.join(', ')}. ${machine}.`,
		'',
		...summaryLines(report).map((line) => `- ${line.replace(/^MISSED/, '**MISSED**')}`),
		'',
		toRow(head),
		toRow(head.map(() => '---')),
		...results.map((result) => toRow(cellsOf(result))),
		'',
	].join('\n');
}

function cellsOf(result: Result): string[] {
	const { row, what, start, ours, beside, target, unit } = result;
	return [
		`\`${row}\``,
		what,
		start,
		beside.name,
		spread(ratiosOf(result)),
		target === undefined ? '' : targetText(target),
		target === undefined ? '' : verdictOf(result).replace('MISSED', '**MISSED**'),
		spread(ours.figures, unit),
		spread(beside.figures, unit),
	];
}

function targetText(target: NonNullable<Result['target']>): string {
	return 'most' in target ? `≤ ${target.most}` : `≥ ${target.least}`;
}

/** The median, and in brackets the lowest and the highest if they differ. */
function spread(values: readonly number[], unit = ''): string {
	const { median: middle, least, most } = summaryOf(values);
	const text = `${number(middle)} ${unit}`.trim();
	return least === most ? text : `${text} (${number(least)} to ${number(most)})`;
}

/** With three significant digits. */
function number(value: number): string {
	return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function percent(share: number): string {
	return `${Math.round(share * 100)} %`;
}

function minutes(seconds: number): string {
	return `${Number((seconds / 60).toFixed(1))} minutes`;
}

function toRow(cells: readonly string[]): string {
	return `| ${cells.join(' | ')} |`;
}
