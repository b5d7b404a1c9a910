import { createServer } from 'node:http';
import { jsonOf, listenOnLoopback } from '../../../sandbox/src/loopback';

export interface ChatRequest {
	path: string;
	authorization?: string;
	model: string;
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

export interface ChatEndpoint {
	/** The base URL for a credential, with `/v1`. */
	url: string;
	asked: ChatRequest[];
	close: () => Promise<void>;
}

export interface ChatAnswer {
	status?: number;
	body: unknown;
}

/** A local endpoint in the form of OpenAI's chat completions. */
export async function startChatEndpoint(
	answer: (asked: ChatRequest, index: number) => ChatAnswer | Promise<ChatAnswer>,
): Promise<ChatEndpoint> {
	const asked: ChatRequest[] = [];
	const server = createServer((request, response) => {
		void jsonOf<ChatRequest>(request).then(async ({ model, messages, tools }) => {
			const { authorization } = request.headers;
			const entry = { path: request.url ?? '', authorization, model, messages, tools };
			asked.push(entry);
			const { status = 200, body } = await answer(entry, asked.length);
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		});
	});
	const { url, close } = await listenOnLoopback(server);
	return { url: `${url}/v1`, asked, close };
}
