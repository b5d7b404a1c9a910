/** `npm run test:stress`: many executions wait in the real n8n while everything around them is in trouble. */
import { inspect, parseArgs } from 'node:util';
import { endOnSignals } from '../../sandbox/src/end-on-signals';
import { Teardown } from '../../sandbox/src/teardown';
import { SeededRandom } from '../support/seededRandom';
import { planOf, type Plan } from './plan';
import { runPlan } from './run';

const HELP = `Has executions wait for crews in the real n8n: large results, callbacks lost, doubled and late, slow and
refused questions, and n8n's database locked.

Usage: npm run test:stress -- [options]

  --items N        how many crews are started (default 300)
  --minutes N      for how long crews end (default 3)
  --seed N         the seed of an earlier run, for the same plan
  --help           this text

The exit code is 0 if every item came out once, exactly as its crew ended, and no crew was started twice.`;

/** How many of the things that are not well are told. */
const SHOWN = 30;
/** How much longer than the last crew an execution waits, in seconds. */
const LEEWAY = 20;

const log = (line: string) => {
	process.stdout.write(`${line}\n`);
};
const teardown = new Teardown();
const isEnding = endOnSignals(teardown);

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			items: { type: 'string', default: '300' },
			minutes: { type: 'string', default: '3' },
			seed: { type: 'string' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) {
		log(HELP);
		return;
	}
	const items = positive('items', values.items);
	const minutes = positive('minutes', values.minutes);
	const { seed } = new SeededRandom(values.seed === undefined ? undefined : Number(values.seed));
	const plan = planOf(seed, items, minutes * 60_000);
	log(`Seed ${seed}: ${describe(plan)}`);
	const limit = Math.ceil(minutes * 60) + LEEWAY;
	const problems = await runPlan({ plan, limit, teardown, log });
	for (const problem of problems.slice(0, SHOWN)) log(`NOT WELL: ${problem}`);
	if (problems.length > SHOWN) log(`NOT WELL: ${problems.length - SHOWN} more`);
	const isWell = problems.length === 0;
	log(
		isWell ? 'Every item is what its crew did.' : `See above what is not well with seed ${seed}.`,
	);
	await teardown.run();
	process.exit(isWell ? 0 : 1);
}

function positive(name: string, text: string): number {
	const value = Number(text);
	if (!(value > 0)) throw new Error(`--${name} wants a number above 0, not "${text}"`);
	return value;
}

function describe({ executions, refusals, locks }: Plan): string {
	const items = executions.flatMap((one) => one.items);
	// The status tells the output, and that of each task.
	const characters = items.map(({ outcome }) =>
		'output' in outcome ? outcome.output.length * 2.5 : 0,
	);
	const megabytes = characters.reduce((sum, one) => sum + one, 0) / 1e6;
	const calls = (count: number) => items.filter((one) => one.calls.length === count).length;
	return (
		`${items.length} items in ${executions.length} executions, ${megabytes.toFixed()} MB of results; ` +
		`${calls(0)} callbacks lost, ${calls(2)} doubled; ${refusals.length} times the crew refuses, ` +
		`${locks.length} times the database is locked`
	);
}

main().catch(async (error: unknown) => {
	// On Ctrl-C the run breaks off wherever it is: that is no news.
	if (isEnding()) return;
	// With its causes.
	log(`\n${inspect(error)}`);
	await teardown.run().catch(() => undefined);
	process.exit(1);
});
