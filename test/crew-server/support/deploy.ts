import { startCrewServer, type CrewServerOptions } from '../../../crew-server/src';

/**
 * A deployment in a separate process, so that a test can kill it: options as JSON in the first
 * argument, the deployment's address and tokens as JSON on standard output. To any message of its
 * parent, it answers with the bytes in use after a garbage collection.
 */
async function main(): Promise<void> {
	const options = JSON.parse(process.argv[2] ?? '{}') as CrewServerOptions;
	const { url, accessToken, userAccessToken } = await startCrewServer(options);
	process.on('message', () => {
		globalThis.gc?.();
		process.send?.(process.memoryUsage().heapUsed);
	});
	process.stdout.write(`${JSON.stringify({ url, accessToken, userAccessToken })}\n`);
}

void main();
