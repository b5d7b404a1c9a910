import { once } from 'node:events';
import { createServer } from 'node:http';
import { jsonOf, listenOnLoopback } from '../../sandbox/src/loopback';

/** Milliseconds in which an awaited body must arrive. */
const PATIENCE = 30_000;

/** A server that keeps what it receives. */
export interface Receiver {
	url: string;
	/** The next body that arrives, as JSON. */
	next(): Promise<unknown>;
	close: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
	const bodies: unknown[] = [];
	const server = createServer((request, response) => {
		void jsonOf<unknown>(request).then((body) => {
			bodies.push(body);
			response.setHeader('content-type', 'application/json');
			response.end('{}');
			server.emit('received');
		});
	});
	const { url, close } = await listenOnLoopback(server);
	return {
		url: `${url}/`,
		next: async () => {
			const signal = AbortSignal.timeout(PATIENCE);
			if (bodies.length === 0) await once(server, 'received', { signal });
			return bodies.shift();
		},
		close,
	};
}
