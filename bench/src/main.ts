/** `npm run bench`: figures of our node, compared with n8n's own, in one run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import { describeCommit } from '../../sandbox/src/commit';
import { endOnSignals } from '../../sandbox/src/end-on-signals';
import { ensureN8n } from '../../sandbox/src/n8n-install';
import { packPackage } from '../../sandbox/src/packed-package';
import { Teardown } from '../../sandbox/src/teardown';
import { describeMachine } from './machine';
import { Places } from './places';
import { clearMisses, summaryLines, toMarkdown, type Report } from './report';
import { quickVariant, type Row } from './row';
import { rows } from './rows';
import { runRows } from './run';

const HELP = `Measures the node in a real n8n, compared with n8n's own nodes, and prints a table of figures.

Usage: npm run bench -- [options]

  --row NAME     only this row; can be given several times
  --quick        fewer rows, smaller and with fewer pairs; fails if a target is missed by more than noise explains
  --profile DIR  one more run of each side, whose .cpuprofile goes there
  --help         this text

A run of all rows writes bench/results.md and bench/results.json.

Rows:
${rows.map((row) => `  ${row.name.padEnd(22)} ${row.what(row.size)}, compared with ${row.beside.name}`).join('\n')}`;

const folder = join(__dirname, '..');

/** The most seconds that a run should take on two idle cores. */
const PLANNED = { whole: 24 * 60, quick: 3 * 60 };

const teardown = new Teardown();
const isEnding = endOnSignals(teardown);

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			row: { type: 'string', multiple: true },
			quick: { type: 'boolean', default: false },
			profile: { type: 'string' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return;
	}
	const { report, failed } = await measure(chooseRows(values.row, values.quick), values);
	const markdown = await format(toMarkdown(report), { parser: 'markdown' });
	console.log(`\n${markdown}\n${summaryLines(report).join('\n')}`);
	if (failed.length > 0) throw new Error(`Not measured:\n  ${failed.join('\n  ')}`);
	if (values.row === undefined && !values.quick) await write(report, markdown);
	if (values.quick && clearMisses(report).length > 0) process.exitCode = 1;
}

/** The rows with these names, or all; in a quick run, their quick variants. */
function chooseRows(names: readonly string[] = [], isQuick: boolean): Row[] {
	const unknown = names.filter((name) => !rows.some((row) => row.name === name));
	if (unknown.length > 0) {
		throw new Error(`There is no row "${unknown.join('", "')}": see npm run bench -- --help`);
	}
	const chosen = rows.filter(({ name }) => names.length === 0 || names.includes(name));
	if (!isQuick) return chosen;
	return chosen.flatMap((row) => quickVariant(row) ?? (names.length > 0 ? [row] : []));
}

async function measure(
	chosen: readonly Row[],
	{ quick: isQuick, profile: profiles }: { quick: boolean; profile?: string },
): Promise<{ report: Report; failed: string[] }> {
	const { version: n8n } = await ensureN8n();
	const began = performance.now();
	const packed = await packPackage();
	teardown.add(() => packed.remove());
	const log = (line: string) => {
		console.log(line);
	};
	const { results, failed, leftOut, otherWork } = await runRows(chosen, {
		places: new Places(packed, teardown, log),
		log,
		isEnding,
		keepProfile: profiles === undefined ? undefined : keepProfileIn(profiles),
	});
	const report: Report = {
		measuredAt: new Date().toISOString(),
		commit: describeCommit(),
		isQuick,
		seconds: Math.round((performance.now() - began) / 1_000),
		plannedSeconds: isQuick ? PLANNED.quick : PLANNED.whole,
		versions: { [packed.name]: packed.version, n8n },
		machine: describeMachine(),
		otherWork,
		leftOut,
		results,
	};
	return { report, failed };
}

function keepProfileIn(profiles: string) {
	return async (name: string, profile: unknown) => {
		await mkdir(profiles, { recursive: true });
		const file = join(profiles, `${name.replace(/\W+/g, '-')}.cpuprofile`);
		await writeFile(file, JSON.stringify(profile));
		console.log(`  ${file}`);
	};
}

/** Writes the report to `results.md` and `results.json`. */
async function write(report: Report, markdown: string): Promise<void> {
	await writeFile(join(folder, 'results.md'), markdown);
	const json = await format(JSON.stringify(report), { parser: 'json', useTabs: true });
	await writeFile(join(folder, 'results.json'), json);
}

main()
	.catch((error: unknown) => {
		console.error(`\n${error instanceof Error ? error.message : String(error)}`);
		process.exitCode = 1;
	})
	.finally(() => {
		teardown
			.run()
			.catch((error: unknown) => {
				console.error(error);
				process.exitCode = 1;
			})
			.finally(() => process.exit());
	});
