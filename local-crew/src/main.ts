import { BrokenFileError } from './crew/yamlCursor';
import { readCommandLine, USAGE } from './commandLine';
import { isLoopback, startLocalCrew, type LocalCrew } from './localCrew';

/** `npm run crew`: starts one deployment and stays until Ctrl-C. */
async function main(): Promise<void> {
	const options = readCommandLine(process.argv.slice(2));
	if (options === 'help') {
		process.stdout.write(USAGE);
		return;
	}
	const crew = await startLocalCrew(options);
	console.log(`The crew "${crew.crew.name}" is deployed.

  URL                ${crew.url}
  Access token       ${crew.accessToken}
  User access token  ${crew.userAccessToken}
  Page               ${crew.url}/#token=${crew.accessToken}
  Kept in            ${options.dataFolder ?? 'memory alone'}

Ctrl-C ends it.`);
	if (!isLoopback(options.host ?? '127.0.0.1')) {
		console.warn(
			'Careful: whoever reaches this machine reaches the crew, and the tokens go over the network unencrypted.',
		);
	}
	endOnSignals(crew);
}

/** Ends the crew in order on Ctrl-C and its kin, which may arrive several times: npm passes them on. */
function endOnSignals(crew: LocalCrew): void {
	let ending: Promise<void> | undefined;
	const end = () => {
		ending ??= crew.close().then(
			() => process.exit(0),
			(error: unknown) => {
				console.error(error);
				process.exit(1);
			},
		);
	};
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
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
