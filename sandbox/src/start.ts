/** `npm start`: the real n8n with this package, a crew server and the examples. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCrewServer } from '../../crew-server/src';
import { addresses } from './addresses';
import { AsLeft } from './as-left';
import { storeExampleCredentials } from './crew-credential';
import { usualDialect } from './crew-dialect';
import { endOnSignals } from './end-on-signals';
import {
	importExamples,
	listExamples,
	type ExampleCredentials,
	type ImportedExample,
} from './examples';
import { isFirstExampleAsImported, runFirstExample } from './first-example';
import { sandboxFolder } from './paths';
import { assertPortIsFree } from './ports';
import { startWithoutCredential, type Sandbox } from './sandbox';
import { Teardown } from './teardown';

const DEFAULT_PORT = 5678;
/** Different from the port of `npm run crew`, which may run at the same time. */
const DEFAULT_CREW_PORT = 8331;
const DEFAULT_ASKING_PORT = 8332;
const DEBUGGER = '127.0.0.1:9229';

const HELP = `Starts n8n with this package, a crew server and the examples, and runs the first example. Press Ctrl-C to stop.

Usage: npm start -- [options]

  --once            stop after the first example: exit code 0 if it worked; n8n's data is not kept
  --port N          n8n's port (default: ${DEFAULT_PORT})
  --crew-port N     the crew server's port (default: ${DEFAULT_CREW_PORT}, any with --once)
  --asking-port N   port of the crew that asks a person (default: ${DEFAULT_ASKING_PORT}, any with --once)
  --inspect         let a debugger connect at ${DEBUGGER}
  --help            print this text

n8n itself is installed once into the cache folder (XDG_CACHE_HOME or ~/.cache); its data is in .sandbox/home,
the crews' in .sandbox/crews. What you change in n8n is kept, examples and credentials too.`;

interface Choices {
	once: boolean;
	port: number;
	crewPort: number;
	askingPort: number;
	inspect: boolean;
}

const teardown = new Teardown();

async function main(): Promise<void> {
	const choices = readChoices();
	if (choices === undefined) {
		console.log(HELP);
		return;
	}
	await assertPortIsFree(choices.port, '--port');
	await assertPortIsFree(choices.crewPort, '--crew-port');
	await assertPortIsFree(choices.askingPort, '--asking-port');
	const home = choices.once ? undefined : join(sandboxFolder, 'home');
	const asLeft = home === undefined ? undefined : new AsLeft(join(home, 'as-left.json'));
	// The user's own credentials keep working, since tokens and ports stay the same.
	const keptIn = (name: string) => (choices.once ? undefined : join(sandboxFolder, 'crews', name));
	const sandbox = await startWithoutCredential({
		home,
		port: choices.port,
		crew: { port: choices.crewPort, dataFolder: keptIn('research') },
		env: choices.inspect ? { NODE_OPTIONS: `--inspect=${DEBUGGER}` } : {},
		teardown,
		log: console.log,
	});
	const asking = await startCrewServer({
		dialect: usualDialect(),
		crew: 'reviewed-article',
		port: choices.askingPort,
		dataFolder: keptIn('reviewed-article'),
	});
	teardown.add(() => asking.close());
	const crews = { research: sandbox.crew, reviewedArticle: asking };
	const credentials = await storeExampleCredentials(sandbox.api, crews, asLeft);
	const workflows = await bringExamples(sandbox, credentials, asLeft);
	if (choices.once) {
		await sandbox.stop();
	} else {
		console.log(addresses(sandbox, asking, workflows));
	}
}

async function bringExamples(
	sandbox: Pick<Sandbox, 'api' | 'n8n'>,
	credentials: ExampleCredentials,
	asLeft: AsLeft | undefined,
): Promise<Map<string, ImportedExample>> {
	console.log('Importing the examples ...');
	const workflows = await importExamples(sandbox.api, credentials, await listExamples(), asLeft);
	if (isFirstExampleAsImported(workflows)) await runFirstExample(sandbox, workflows, console.log);
	else console.log('You have changed the first two examples, so they are not run.');
	return workflows;
}

function readChoices(): Choices | undefined {
	const { values } = parseArgs({
		options: {
			once: { type: 'boolean', default: false },
			port: { type: 'string', default: String(DEFAULT_PORT) },
			'crew-port': { type: 'string' },
			'asking-port': { type: 'string' },
			inspect: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) return undefined;
	const readCrewPort = (text: string | undefined, option: string, usual: number) =>
		text === undefined ? (values.once ? 0 : usual) : readPort(text, option);
	return {
		once: values.once,
		inspect: values.inspect,
		port: readPort(values.port, '--port'),
		crewPort: readCrewPort(values['crew-port'], '--crew-port', DEFAULT_CREW_PORT),
		askingPort: readCrewPort(values['asking-port'], '--asking-port', DEFAULT_ASKING_PORT),
	};
}

function readPort(text: string, option: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
	throw new Error(`${option} needs a number from 1 to 65535, not "${text}"`);
}

const isEnding = endOnSignals(teardown);

main().catch(async (error: unknown) => {
	// After Ctrl-C, an error only says that something was interrupted.
	if (isEnding()) return;
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	await teardown.run().catch(console.error);
	process.exit(1);
});
