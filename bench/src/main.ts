/** `npm run bench`: figures of our node beside n8n's own, in one run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignals } from '../../sandbox/src/end-on-signals';
import { ensureN8n } from '../../sandbox/src/n8n-install';
import { packPackage } from '../../sandbox/src/packed-package';
import { Teardown } from '../../sandbox/src/teardown';
import { ratioOf, holds, type Comparison } from './figures';
import { describeMachine, toMarkdown, writeReport, type Report } from './report';
import type { Bench, Row } from './row';
import { rows } from './rows';
import { openStage, type Stage } from './stage';

const HELP = `Measures the node beside n8n's own nodes in a real n8n, and prints a table of figures.

Usage: npm run bench -- [options]

  --row NAME     only this row; can be given several times
  --quick        fewer and smaller runs, a few minutes; fails where a ratio is more than twice its target
  --profile DIR  in row kickoffs: one more run of each, whose .cpuprofile goes there
  --help         this text

A run of all rows writes bench/results.md and bench/results.json.

Rows:
${rows.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`;

/** How much worse than its target a ratio may be in a quick run, whose figures are rough. */
const LEEWAY = 2;

const teardown = new Teardown();

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
	console.log(`\n${await toMarkdown(report)}`);
	if (failed.length > 0) throw new Error(`Not measured:\n  ${failed.join('\n  ')}`);
	if (values.row === undefined && !values.quick) await writeReport(report);
	if (values.quick) failWhereWorse(report.comparisons);
}

function chooseRows(names: readonly string[] | undefined, isQuick: boolean): readonly Row[] {
	if (names === undefined) return rows.filter(({ isLong }) => !(isQuick && isLong));
	return names.map((name) => {
		const row = rows.find((one) => one.name === name);
		if (row) return row;
		throw new Error(`There is no row "${name}": see npm run bench -- --help`);
	});
}

async function measure(
	chosen: readonly Row[],
	{ quick: isQuick, profile: profiles }: { quick: boolean; profile?: string },
): Promise<{ report: Report; failed: string[] }> {
	const { version: n8n } = await ensureN8n();
	const packed = await packPackage();
	teardown.add(() => packed.remove());
	const shared = new Map<string, Promise<Stage>>();
	const newStage = async (settings: Record<string, string>) => {
		console.log('Starting n8n ...');
		return await openStage(packed, teardown, settings);
	};
	const bench: Bench = {
		isQuick,
		packed,
		teardown,
		withOwnStage: async (settings, work) => {
			const stage = await newStage(settings);
			try {
				return await work(stage);
			} finally {
				await stage.stop();
			}
		},
		stage: async (purpose) => {
			const stage = shared.get(purpose) ?? newStage({});
			shared.set(purpose, stage);
			return await stage;
		},
		keepProfile: profiles === undefined ? undefined : keepProfileIn(profiles),
		log: (line) => {
			console.log(`  ${line}`);
		},
	};
	const { comparisons, failed } = await runRows(chosen, bench);
	const versions = { [packed.name]: packed.version, n8n };
	const measuredAt = new Date().toISOString();
	const report = { measuredAt, isQuick, versions, machine: describeMachine(), comparisons };
	return { report, failed };
}

function keepProfileIn(folder: string) {
	return async (name: string, profile: unknown) => {
		await mkdir(folder, { recursive: true });
		const file = join(folder, `${name.replace(/\W+/g, '-')}.cpuprofile`);
		await writeFile(file, JSON.stringify(profile));
		console.log(`  ${file}`);
	};
}

/** Runs rows one after the other; `failed` tells of those that could not be measured. */
async function runRows(chosen: readonly Row[], bench: Bench) {
	const comparisons: Comparison[] = [];
	const failed: string[] = [];
	for (const row of chosen) {
		const began = Date.now();
		console.log(`\n${row.name}: ${row.about}`);
		try {
			comparisons.push(...(await row.run(bench)));
		} catch (error) {
			// On Ctrl-C no further row is begun.
			if (isEnding()) throw error;
			failed.push(`${row.name}: ${(error as Error).message}`);
		}
		console.log(`  done in ${Math.round((Date.now() - began) / 1000)} s`);
	}
	return { comparisons, failed };
}

function failWhereWorse(comparisons: readonly Comparison[]): void {
	const worse = comparisons.flatMap(({ measure, ours, rivals }) =>
		rivals
			.filter((rival) => !holds(ratioOf(ours, rival), rival, LEEWAY))
			.map(({ contender }) => `${measure}, beside ${contender}`),
	);
	if (worse.length === 0) return;
	throw new Error(`More than ${LEEWAY} times worse than wanted:\n  ${worse.join('\n  ')}`);
}

const isEnding = endOnSignals(teardown);

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
