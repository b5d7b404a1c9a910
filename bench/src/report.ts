import { writeFile } from 'node:fs/promises';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import {
	hasTarget,
	holds,
	median,
	ratioOf,
	type Comparison,
	type Figures,
	type Rival,
} from './figures';

const folder = join(__dirname, '..');

/** What a run of the bench found. */
export interface Report {
	/** ISO 8601. */
	measuredAt: string;
	isQuick: boolean;
	/** Of the package, and of n8n. */
	versions: Record<string, string>;
	machine: string;
	comparisons: Comparison[];
}

/** The machine, as far as figures depend on it. */
export function describeMachine(): string {
	const [first] = cpus();
	const gigabytes = Math.round(totalmem() / 1024 ** 3);
	return `${cpus().length} × ${first?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

/** The table as Markdown: ratios first, since only they can be compared across machines. */
export async function toMarkdown(report: Report): Promise<string> {
	const { comparisons, versions, machine, measuredAt, isQuick } = report;
	const rows = comparisons.flatMap(toRows);
	const table = ['Measure', 'Beside', 'Ratio', 'Wanted', '', 'Ours', 'Theirs'];
	const lines = [
		'# Figures',
		'',
		`Made by \`npm run bench${isQuick ? ' -- --quick' : ''}\` on ${measuredAt.slice(0, 10)}; [README.md](README.md) says how to read it.`,
		`${Object.entries(versions)
			.map(([name, version]) => `${name} ${version}`)
			.join(', ')}. ${machine}.`,
		'',
		toLine(table),
		toLine(table.map(() => '---')),
		...rows.map(toLine),
		'',
	];
	return await format(lines.join('\n'), { parser: 'markdown' });
}

function toRows(comparison: Comparison): string[][] {
	const { measure, unit, ours, rivals } = comparison;
	return rivals.map((rival) => {
		const ratio = ratioOf(ours, rival);
		const verdict = hasTarget(rival) ? (holds(ratio, rival) ? 'holds' : '**short**') : '';
		const figures = [ours, rival].map((one) => toText(one, unit));
		return [measure, rival.contender, round(ratio), wanted(rival), verdict, ...figures];
	});
}

function wanted({ most, least }: Rival): string {
	return [most && `≤ ${most}`, least && `≥ ${least}`].filter(Boolean).join(', ');
}

/** The median, and in brackets the least and the most. */
function toText({ rounds }: Figures, unit: string): string {
	const middle = `${round(median(rounds))} ${unit}`;
	return rounds.length === 1
		? middle
		: `${middle} (${round(Math.min(...rounds))} to ${round(Math.max(...rounds))})`;
}

/** Three digits that count. */
function round(value: number): string {
	return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function toLine(cells: readonly string[]): string {
	return `| ${cells.join(' | ')} |`;
}

/** Puts the report beside this code, as `results.md` and `results.json`. */
export async function writeReport(report: Report): Promise<void> {
	await writeFile(join(folder, 'results.md'), await toMarkdown(report));
	const json = await format(JSON.stringify(report), { parser: 'json', useTabs: true });
	await writeFile(join(folder, 'results.json'), json);
}
