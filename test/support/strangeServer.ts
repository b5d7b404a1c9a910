import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listenOnLoopback } from '../../sandbox/src/loopback';

export interface StrangeServer {
	baseUrl: string;
	/** Method, path and headers of what arrived. */
	requests: IncomingMessage[];
	close: () => Promise<void>;
}

/** Starts a real server on loopback whose requests the test handles. */
export async function startServer(
	treat: (request: IncomingMessage, response: ServerResponse, socket: Socket) => void,
): Promise<StrangeServer> {
	const requests: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		requests.push(request);
		request.resume().on('end', () => {
			treat(request, response, request.socket);
		});
	});
	const { url, close } = await listenOnLoopback(server);
	return { baseUrl: url, requests, close };
}
