import { once } from 'node:events';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** Binds for a moment; gives the port that was bound, or rejects with the system's error. */
async function bindBriefly(port: number): Promise<number> {
	const server = createServer();
	server.listen(port, LOOPBACK);
	await once(server, 'listening');
	const address = server.address();
	server.close();
	await once(server, 'close');
	if (address === null || typeof address === 'string') throw new Error('No port was given');
	return address.port;
}

/** A loopback port that nobody listens on. */
export async function findFreePort(): Promise<number> {
	return bindBriefly(0);
}

/**
 * Refuses a port that cannot be listened on, in words that a newcomer can act on.
 *
 * @param option the command-line option that chooses another one
 */
export async function assertPortIsFree(port: number, option: string): Promise<void> {
	try {
		await bindBriefly(port);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code ?? String(error)})`;
		const other = `npm start -- ${option} ${await findFreePort()}`;
		throw new Error(`Port ${port} ${reason}: choose another, e.g. ${other}`);
	}
}
