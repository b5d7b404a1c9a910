import { once } from 'node:events';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** Listens for a moment. Returns the port, or rejects with the system's error. */
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

/** A free loopback port. */
export async function findFreePort(): Promise<number> {
	return bindBriefly(0);
}

/**
 * Rejects if nothing can listen on a port, with a message that says how to choose another one.
 *
 * @param option the command-line option for another port
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
