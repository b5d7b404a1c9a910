import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Milliseconds in which what is awaited has to come. */
const PATIENCE = 30_000;

/** A server that keeps what it is sent. */
export interface Receiver {
	url: string;
	/** The next body that comes, as JSON. */
	next(): Promise<unknown>;
	close(): void;
}

export async function startReceiver(): Promise<Receiver> {
	const bodies: string[] = [];
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			bodies.push(body);
			response.setHeader('content-type', 'application/json');
			response.end('{}');
			server.emit('received');
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/`,
		next: async () => {
			const signal = AbortSignal.timeout(PATIENCE);
			if (bodies.length === 0) await once(server, 'received', { signal });
			return JSON.parse(bodies.shift() ?? 'null') as unknown;
		},
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
