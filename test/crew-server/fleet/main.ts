/** `npm run test:fleet`: several crew servers on one PostgreSQL, while everything around them is in trouble. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fastGlob from 'fast-glob';

import { cacheFolder } from '../../../sandbox/src/paths';
import type { Teardown } from '../../../sandbox/src/teardown';
import { log, runLongTest } from '../../support/longTest';
import { SeededRandom } from '../../support/seededRandom';
import { crewaiWork } from './crewai';
import { Fleet } from './fleet';
import { HARMS, SERVERS } from './harms';
import { History } from './history';
import { Outcomes } from './outcomes';
import { playedWork } from './played';
import { roundsOf, type Crew, type Round } from './plan';
import { writeReport } from './report';
import { playRound, type Outcome, type RoundSettings } from './round';

const HELP = `Harms three crew servers on one PostgreSQL while they work, and checks everything that can be seen. The crews are
played, and real ones if CrewAI is installed (npm run test:crewai -- newest --install-only).

Usage: npm run test:fleet -- [options]

  --minutes N      begins no round after this time (default 60)
  --harm A[+B]     does only this harm, or these at once
  --crew CREW      runs only played or crewai
  --sample         runs a few rounds with played crews, always the same ones
  --outcomes FILE  adds the outcome of each round to FILE, and skips the rounds that it has
  --report         writes docs/reports/fleet.md from all outcomes, including those in FILE
  --seed N         the seed of an earlier run, to repeat its choices
  --help           this text

Harms: ${Object.keys(HARMS).join(', ')}

The exit code is 0 if the checker has found nothing in any round.`;

/** How many faults of a round are shown. */
const SHOWN = 10;
const SAMPLE_SEED = 37;

async function main(teardown: Teardown): Promise<boolean> {
	const { values } = parseArgs({
		options: {
			minutes: { type: 'string', default: '60' },
			harm: { type: 'string' },
			crew: { type: 'string' },
			sample: { type: 'boolean', default: false },
			outcomes: { type: 'string' },
			report: { type: 'boolean', default: false },
			seed: { type: 'string' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) {
		log(HELP);
		return true;
	}
	const given = values.sample ? SAMPLE_SEED : values.seed && Number(values.seed);
	const random = new SeededRandom(given || undefined);
	log(`Seed ${random.seed}`);
	const python = process.env['CREWAI_PYTHON'] ?? installedCrewai();
	if (python === undefined) log('Without real crews, since CrewAI is not installed');
	const crews: Crew[] = python === undefined ? ['played'] : ['played', 'crewai'];
	const rounds = roundsOf({ ...values, random, crews });
	const outcomes = new Outcomes(values.outcomes);
	const minutes = Number(values.minutes);
	const means = { minutes, random, outcomes, python: python ?? '', teardown };
	const isWell = await play(
		rounds.filter((round) => !outcomes.has(round)),
		means,
	);
	log(isWell ? 'Nothing was found.' : `See the faults with seed ${random.seed} above.`);
	if (values.report) await writeReport(outcomes.all, process.argv.slice(2));
	return isWell;
}

/** The Python of an environment that `npm run test:crewai` has installed. */
function installedCrewai(): string | undefined {
	return fastGlob.sync('crewai-newest-*/venv/bin/python', {
		cwd: cacheFolder(),
		absolute: true,
	})[0];
}

type Settings = Omit<RoundSettings, 'random'>;

/** What a fleet needs for its start. */
interface Means {
	python: string;
	teardown: Teardown;
}

interface Run extends Means {
	minutes: number;
	random: SeededRandom;
	outcomes: Outcomes;
}

/** @returns whether nothing was found */
async function play(
	rounds: readonly Round[],
	{ minutes, random, outcomes, ...means }: Run,
): Promise<boolean> {
	const end = performance.now() + minutes * 60_000;
	const folder = mkdtempSync(join(tmpdir(), 'fleet-history-'));
	const begun = new Map<Crew, Settings>();
	let isWell = true;
	for (const { crew, names } of rounds) {
		if (performance.now() > end) break;
		const settings = begun.get(crew) ?? (await open(crew, folder, means));
		begun.set(crew, settings);
		const outcome = await playRound({ crew, names }, { ...settings, random });
		outcomes.add(outcome, random.seed);
		tell(outcome);
		if (outcome.faults.length === 0) continue;
		isWell = false;
		keep(settings, names, folder);
	}
	return isWell;
}

async function open(crew: Crew, folder: string, { python, teardown }: Means): Promise<Settings> {
	const history = new History(join(folder, `${crew}.jsonl`));
	history.clear();
	const work = crew === 'played' ? playedWork(folder) : await crewaiWork(python, history);
	teardown.add(() => work.close());
	const fleet = await Fleet.open(work.fleet, history);
	teardown.add(() => fleet.close());
	await fleet.fill(SERVERS);
	return { ...work.round, fleet, history };
}

function tell({ crew, names, lacks, faults, executions, effects, seconds }: Outcome): void {
	const name = `${crew}, ${names.join(' + ')}`;
	if (lacks !== undefined) {
		log(`${name}: left out, ${lacks}`);
		return;
	}
	const result = faults.length === 0 ? 'ok' : `${faults.length} FAULTS`;
	log(`${name}: ${result}, ${executions} executions, ${effects} effects, ${seconds.toFixed()} s`);
	for (const { rule, text } of faults.slice(0, SHOWN)) log(`  ${rule}: ${text}`);
	if (faults.length > SHOWN) log(`  and ${faults.length - SHOWN} more`);
}

/** Keeps the history of a round, and everything that the servers have printed. */
function keep({ history, fleet }: Settings, names: readonly string[], folder: string): void {
	const file = join(folder, names.join('+'));
	const lines = history.entries().map((entry) => `${JSON.stringify(entry)}\n`);
	writeFileSync(`${file}.jsonl`, lines.join(''));
	writeFileSync(`${file}.log`, fleet.output);
	log(`  The history is in ${file}.jsonl, the servers’ output in ${file}.log`);
}

runLongTest(main);
