import { createServer, type IncomingHttpHeaders } from 'node:http';
import { jsonOf, listenOnLoopback, unlessBrokenOff } from '../../../sandbox/src/loopback';

/** A callback as it arrived. */
export interface Received {
	path: string;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
}

export interface Receiver {
	url: string;
	received: Received[];
	/** The bodies that came to a path, in order. */
	bodiesAt: (path: string) => Array<Received['body']>;
	close: () => Promise<void>;
}

/**
 * Listens for callbacks as a client would.
 *
 * @param answer the status to answer with, given how many have come before and the callback; `hang` never answers
 */
export async function startReceiver(
	answer: (index: number, received: Received) => number | 'hang' | Promise<number> = () => 200,
	port = 0,
): Promise<Receiver> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		const take = async (body: Received['body']) => {
			const entry = { path: request.url ?? '', headers: request.headers, body };
			const status = answer(received.length, entry);
			received.push(entry);
			if (status !== 'hang') response.writeHead(await status).end();
		};
		jsonOf<Received['body']>(request).then(take).catch(unlessBrokenOff(request));
	});
	const { url, close } = await listenOnLoopback(server, port);
	const bodiesAt = (path: string) =>
		received.filter((one) => one.path === path).map(({ body }) => body);
	return { url, received, bodiesAt, close };
}
