import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A server that listens. */
export interface Loopback {
	port: number;
	/** Without a slash at its end. */
	url: string;
	/** Also ends requests that are still open. */
	close: () => Promise<void>;
}

/** Makes a server listen on loopback, by default on a free port. Rejects with the system's error. */
export async function listenOnLoopback(server: Server, port = 0): Promise<Loopback> {
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	const { port: given } = server.address() as AddressInfo;
	return {
		port: given,
		url: `http://127.0.0.1:${given}`,
		close: async () => {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}

/** The body of a request, parsed. Rejects if it is not JSON. */
export async function jsonOf<T>(request: IncomingMessage): Promise<T> {
	return (await json(request)) as T;
}

/** Handles the rejection of a request's handler: ignores it if the sender has closed the connection. */
export function unlessBrokenOff(request: IncomingMessage): (error: unknown) => void {
	return (error) => {
		if (request.complete) throw error;
	};
}
