import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
	path: string;
	authorization?: string;
	model: string;
	messages: Array<{ role: string; content: string }>;
}

export interface ChatEndpoint {
	url: string;
	asked: ChatRequest[];
	close(): Promise<void>;
}

export interface ChatAnswer {
	status?: number;
	body: unknown;
}

/** A local endpoint that speaks as OpenAI's chat completions do. */
export async function startChatEndpoint(
	answer: (asked: ChatRequest, index: number) => ChatAnswer | Promise<ChatAnswer>,
): Promise<ChatEndpoint> {
	const asked: ChatRequest[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
			const { authorization } = request.headers;
			const entry = { path: request.url ?? '', authorization, model, messages };
			asked.push(entry);
			void Promise.resolve(answer(entry, asked.length)).then(({ status = 200, body }) => {
				response.writeHead(status, { 'content-type': 'application/json' });
				response.end(typeof body === 'string' ? body : JSON.stringify(body));
			});
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		asked,
		close: () =>
			new Promise((resolve) => {
				server.close(() => {
					resolve();
				});
				server.closeAllConnections();
			}),
	};
}
