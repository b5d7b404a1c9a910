import { BrokenFileError } from './crew/yamlCursor';
import type { CrewDescription } from './crew/description';
import { readCommandLine, USAGE } from './commandLine';
import { isLoopback, startCrewServer, type CrewServer } from './crewServer';

/** `npm run crew`: starts one deployment and stays until Ctrl-C. */
async function main(): Promise<void> {
	const options = readCommandLine(process.argv.slice(2));
	if (options === 'help') {
		process.stdout.write(USAGE);
		return;
	}
	const endsOnSignals = endOnSignals();
	const crew = await startCrewServer(options);
	endsOnSignals(crew);
	console.log(`The crew "${crew.crew.name}" is deployed.

  URL                ${crew.url}
  Access token       ${crew.accessToken}
  User access token  ${crew.userAccessToken}
  Page               ${crew.url}/#token=${crew.accessToken}
  Kept in            ${options.dataFolder ?? 'memory alone'}
${crew.crew.kind === undefined ? '' : `\n${describe(crew.crew)}\n`}
Ctrl-C ends it.`);
	for (const warning of crew.crew.warnings ?? []) console.warn(`Careful: ${warning}`);
	if (!isLoopback(options.host ?? '127.0.0.1')) {
		console.warn(
			'Careful: whoever reaches this machine reaches the crew, and the tokens go over the network unencrypted.',
		);
	}
}

/** What a project's crew is, for whoever has started it. */
function describe({ kind = '', inputs, tasks }: CrewDescription): string {
	const names = inputs.map(({ name, required }) => (required ? name : `${name} (optional)`));
	const width = Math.max(...tasks.map(({ name }) => name.length));
	return [
		`  Kind               ${kind}`,
		`  Inputs             ${names.join(', ') || 'none'}`,
		'  Tasks',
		...tasks.map(
			({ name, agent, humanInput }) =>
				`    ${name.padEnd(width)}  ${agent}${humanInput ? ' (asks a person)' : ''}`,
		),
	].join('\n');
}

/**
 * Ends the process on Ctrl-C and its kin, which may arrive several times: npm passes them on.
 *
 * @returns takes the crew, which is closed in order from then on
 */
function endOnSignals(): (crew: CrewServer) => void {
	let end = (): void => process.exit(0);
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(signal, () => {
			end();
		});
	}
	return (crew) => {
		let ending: Promise<void> | undefined;
		end = () => {
			ending ??= crew.close().then(
				() => process.exit(0),
				(error: unknown) => {
					console.error(error);
					process.exit(1);
				},
			);
		};
	};
}

function explain(error: unknown): string {
	if (error instanceof BrokenFileError) return error.message;
	if (!(error instanceof Error)) return String(error);
	const code = (error as NodeJS.ErrnoException).code;
	if (code === 'EADDRINUSE') {
		const { port } = error as Error & { port?: number };
		return `Port ${port ?? ''} is taken: end what listens there, or give another one with --port.`;
	}
	return `${error.message}\nnpm run crew -- --help shows what can be given.`;
}

main().catch((error: unknown) => {
	console.error(explain(error));
	process.exit(1);
});
