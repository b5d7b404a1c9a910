import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that keeps what it is sent. */
export interface Receiver {
	url: string;
	/** The next body that comes, as JSON. */
	next(): Promise<unknown>;
	close(): void;
}

export async function startReceiver(): Promise<Receiver> {
	const bodies: unknown[] = [];
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			bodies.push(JSON.parse(body));
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
			if (bodies.length === 0) await once(server, 'received');
			return bodies.shift();
		},
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
