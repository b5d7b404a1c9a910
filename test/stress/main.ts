/** `npm run test:stress`: many executions wait in the real n8n while everything around them is in trouble. */
import { parseArgs } from 'node:util';
import type { Teardown } from '../../sandbox/src/teardown';
import { log, runLongTest, tellProblems } from '../support/longTest';
import { SeededRandom } from '../support/seededRandom';
import { planOf, type Plan } from './plan';
import { runPlan } from './run';

const HELP = `Makes executions wait for crews in the real n8n: large results, callbacks lost, doubled and late, slow and
refused questions, and n8n's database locked.

Usage: npm run test:stress -- [options]

  --items N        how many crews are started (default 300)
  --minutes N      the time within which all crews end (default 3)
  --seed N         the seed of an earlier run, to repeat its plan
  --help           this text

The exit code is 0 if every item that n8n itself has not lost came out once, exactly as its crew ended, and no crew was
started twice.`;

/** Seconds that an execution waits longer than the last crew runs. */
const LEEWAY = 20;

async function main(teardown: Teardown): Promise<boolean> {
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
		return true;
	}
	const items = positive('items', values.items);
	const minutes = positive('minutes', values.minutes);
	const { seed } = new SeededRandom(values.seed === undefined ? undefined : Number(values.seed));
	const plan = planOf(seed, items, minutes * 60_000);
	log(`Seed ${seed}: ${describe(plan)}`);
	const limit = Math.ceil(minutes * 60) + LEEWAY;
	const problems = await runPlan({ plan, limit, teardown, log });
	tellProblems(problems);
	const isWell = problems.length === 0;
	log(
		isWell
			? 'Every item that n8n has not lost has its crew’s result.'
			: `See the problems with seed ${seed} above.`,
	);
	return isWell;
}

function positive(name: string, text: string): number {
	const value = Number(text);
	if (!(value > 0)) throw new Error(`--${name} needs a number above 0, not "${text}"`);
	return value;
}

function describe({ executions, refusals, locks }: Plan): string {
	const items = executions.flatMap((one) => one.items);
	// The status has the output, and that of each task.
	const characters = items.map(({ outcome }) =>
		'output' in outcome ? outcome.output.length * 2.5 : 0,
	);
	const megabytes = characters.reduce((sum, one) => sum + one, 0) / 1e6;
	const calls = (count: number) => items.filter((one) => one.calls.length === count).length;
	return (
		`${items.length} items in ${executions.length} executions, ${megabytes.toFixed()} MB of results; ` +
		`${calls(0)} callbacks lost, ${calls(2)} doubled; the crew refuses requests ${refusals.length} times, ` +
		`the database is locked ${locks.length} times`
	);
}

runLongTest(main);
