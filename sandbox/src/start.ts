/** `npm start`: the real n8n with this package, a crew server and the examples. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_PORT as DEFAULT_CREW_PORT } from '../../crew-server/src/commandLine';
import { startCrewServer } from '../../crew-server/src';
import { addresses } from './addresses';
import { CREDENTIAL_NAMES, storeCrewCredential } from './crew-credential';
import { usualDialect } from './crew-dialect';
import { endOnSignals } from './end-on-signals';
import { importExamples, listExamples } from './examples';
import { runFirstExample } from './first-example';
import { sandboxFolder } from './paths';
import { assertPortIsFree } from './ports';
import { startSandbox } from './sandbox';
import { Teardown } from './teardown';

const DEFAULT_PORT = 5678;
const DEBUGGER = '127.0.0.1:9229';

const HELP = `Starts n8n with this package, a crew server and the examples, runs the first example, and stays until Ctrl-C.

Usage: npm start -- [options]

  --once            end after the example has run: exit code 0 when it worked; n8n's data is not kept
  --port N          n8n's port (default ${DEFAULT_PORT})
  --crew-port N     the crew server's port (default ${DEFAULT_CREW_PORT})
  --inspect         let a debugger in at ${DEBUGGER}
  --help            this text

n8n itself is installed once into the cache folder (XDG_CACHE_HOME or ~/.cache); its data is in .sandbox/home.`;

interface Choices {
	once: boolean;
	port: number;
	crewPort: number;
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
	const sandbox = await startSandbox({
		home: choices.once ? undefined : join(sandboxFolder, 'home'),
		port: choices.port,
		crew: { port: choices.crewPort },
		env: choices.inspect ? { NODE_OPTIONS: `--inspect=${DEBUGGER}` } : {},
		teardown,
		log: console.log,
	});
	const asking = await startCrewServer({ dialect: usualDialect(), crew: 'reviewed-article' });
	teardown.add(() => asking.close());
	const { reviewedArticle: name } = CREDENTIAL_NAMES;
	const credentials = {
		research: sandbox.credential,
		reviewedArticle: await storeCrewCredential(sandbox.api, asking, name),
	};
	console.log('Importing the examples ...');
	const workflows = await importExamples(sandbox.api, credentials, await listExamples());
	await runFirstExample(sandbox, workflows, console.log);
	if (choices.once) {
		await sandbox.stop();
	} else {
		console.log(addresses(sandbox, asking));
	}
}

function readChoices(): Choices | undefined {
	const { values } = parseArgs({
		options: {
			once: { type: 'boolean', default: false },
			port: { type: 'string', default: String(DEFAULT_PORT) },
			'crew-port': { type: 'string', default: String(DEFAULT_CREW_PORT) },
			inspect: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) return undefined;
	return {
		once: values.once,
		inspect: values.inspect,
		port: readPort(values.port, '--port'),
		crewPort: readPort(values['crew-port'], '--crew-port'),
	};
}

function readPort(text: string, option: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
	throw new Error(`${option} wants a number from 1 to 65535, not "${text}"`);
}

const isEnding = endOnSignals(teardown);

main().catch(async (error: unknown) => {
	// On Ctrl-C the start breaks off wherever it is: that is no news.
	if (isEnding()) return;
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	await teardown.run().catch(console.error);
	process.exit(1);
});
