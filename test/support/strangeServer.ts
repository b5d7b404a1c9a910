import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface StrangeServer {
	baseUrl: string;
	/** Method, path and headers of what arrived. */
	requests: IncomingMessage[];
	close: () => Promise<void>;
}

/** Starts a real server on loopback that treats each request as the test says. */
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
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}`,
		requests,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
