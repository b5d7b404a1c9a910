/** `npm run test:soak`: many operations at once in the real n8n, for minutes, each accounted for. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Teardown } from '../../sandbox/src/teardown';
import { log, runLongTest, tellProblems } from '../support/longTest';
import { SeededRandom } from '../support/seededRandom';
import { attackTrigger } from './attack';
import { soakCrewServer } from './server/crewServer';
import { soakOperations, type SoakSettings } from './operations';
import { reportAttack, reportOperations } from './report';

const HELP = `Soaks the real n8n with this package: mixed operations with crews, then a Crew Trigger under attack,
and a crew server that ends again and again.

Usage: npm run test:soak -- [options]

  --minutes N      how long each part lasts (default 10)
  --only PART      operations, attack or crew-server (default: all)
  --seed N         the seed of an earlier run, to repeat its choices
  --help           this text

The exit code is 0 if every operation and every callback is accounted for, and memory and answer times are
within their limits.`;

const PARTS = {
	operations: async (settings: SoakSettings) => reportOperations(await soakOperations(settings)),
	attack: async (settings: SoakSettings) => reportAttack(await attackTrigger(settings)),
	'crew-server': soakCrewServer,
};

interface Choices {
	minutes: number;
	parts: Array<keyof typeof PARTS>;
	seed?: number;
}

async function main(teardown: Teardown): Promise<boolean> {
	const choices = readChoices();
	if (choices === undefined) {
		log(HELP);
		return true;
	}
	const random = new SeededRandom(choices.seed);
	const [processor] = cpus();
	const machine = `Node ${process.version}, ${cpus().length} x ${processor?.model ?? ''}`;
	log(`Seed ${random.seed}, ${machine}`);
	let isWell = true;
	for (const part of choices.parts) {
		const steps = new Teardown();
		teardown.add(() => steps.run());
		const duration = choices.minutes * 60_000;
		const { lines, problems } = await PARTS[part]({ duration, random, teardown: steps, log });
		await steps.run();
		log(['', ...lines, ''].join('\n'));
		tellProblems(problems);
		isWell &&= problems.length === 0;
	}
	log(isWell ? 'Everything is accounted for.' : 'See the problems above.');
	return isWell;
}

function readChoices(): Choices | undefined {
	const { values } = parseArgs({
		options: {
			minutes: { type: 'string', default: '10' },
			only: { type: 'string' },
			seed: { type: 'string' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) return undefined;
	const minutes = Number(values.minutes);
	if (!(minutes > 0)) throw new Error(`--minutes needs a number above 0, not "${values.minutes}"`);
	const all = Object.keys(PARTS) as Array<keyof typeof PARTS>;
	const parts = all.filter((part) => values.only === undefined || values.only === part);
	if (parts.length === 0) throw new Error(`--only needs ${all.join(' or ')}`);
	const seed = values.seed === undefined ? undefined : Number(values.seed);
	return { minutes, parts, seed };
}

runLongTest(main);
