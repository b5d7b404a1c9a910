import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A callback as it came in. */
export interface Received {
	path: string;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
}

export interface Receiver {
	url: string;
	received: Received[];
	close(): Promise<void>;
}

/**
 * Listens for callbacks as a client would.
 *
 * @param answer the status to answer with, by how many have come before and what came in; `hang` never answers
 */
export async function startReceiver(
	answer: (index: number, received: Received) => number | 'hang' = () => 200,
	port = 0,
): Promise<Receiver> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
			const entry = { path: request.url ?? '', headers: request.headers, body };
			const status = answer(received.length, entry);
			received.push(entry);
			if (status !== 'hang') response.writeHead(status).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		close: () =>
			new Promise((resolve) => {
				server.close(() => {
					resolve();
				});
				server.closeAllConnections();
			}),
	};
}
