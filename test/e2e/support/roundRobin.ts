import {
	createServer,
	request as send,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';

import { listenOnLoopback, type Loopback } from '../../../sandbox/src/loopback';

/** Passes each request to the next server, like a load balancer; if nothing listens there, to the one after it. */
export class RoundRobin {
	/** The `Idempotency-Key` of each kickoff that was passed to a server, or would have been. */
	readonly keys: unknown[] = [];
	/** Decides, before an answer is passed back, whether it is lost with its connection. */
	loses: (server: string, request: IncomingMessage) => Promise<boolean> = () =>
		Promise.resolve(false);
	private turn = 0;
	private loopback: Loopback | undefined;

	/** @param servers their addresses */
	constructor(public servers: readonly string[]) {}

	/** @returns its address */
	async listen(): Promise<string> {
		const server = createServer((received, response) => {
			this.pass(received, response).catch(() => response.destroy());
		});
		this.loopback = await listenOnLoopback(server);
		return this.loopback.url;
	}

	async close(): Promise<void> {
		await this.loopback?.close();
	}

	private async pass(received: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await buffer(received);
		if (received.url === '/kickoff') this.keys.push(received.headers['idempotency-key']);
		this.turn += 1;
		for (let index = 0; index < this.servers.length; index++) {
			const server = this.servers[(this.turn + index) % this.servers.length] ?? '';
			try {
				const answer = await ask(server, received, body);
				if (await this.loses(server, received)) break;
				response.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(response);
				return;
			} catch (error) {
				// After any other error, it may have arrived, and only the client knows whether it can be repeated.
				if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') break;
			}
		}
		response.destroy();
	}
}

async function ask(
	server: string,
	{ method, url = '/', headers }: IncomingMessage,
	body: Buffer,
): Promise<IncomingMessage> {
	return await new Promise((resolve, reject) => {
		send(server + url, { method, headers, agent: false }, resolve)
			.on('error', reject)
			.end(body);
	});
}
