import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
	role: string;
	content: string | null;
}

interface ChatRequest {
	messages: Message[];
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

/** A chat model with an OpenAI-compatible endpoint that follows a script: it calls the first tool once. */
export interface ScriptedModel {
	/** The base URL for the credential, with `/v1`. */
	url: string;
	requests: ChatRequest[];
	close(): Promise<void>;
}

/** @param toolArguments what the model calls the tool with */
export async function startScriptedModel(toolArguments: object): Promise<ScriptedModel> {
	const requests: ChatRequest[] = [];
	const server = createServer((request, response) => {
		void readJson(request).then((body) => {
			requests.push(body);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(completion(answerTo(body, toolArguments))));
		});
	});
	await new Promise<void>((resolve) => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/v1`, requests, close: () => close(server) };
}

async function readJson(request: IncomingMessage): Promise<ChatRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest;
}

/** Calls the tool first, and then says what the tool gave back. */
function answerTo({ messages, tools }: ChatRequest, toolArguments: object): object {
	const toolResult = messages.find(({ role }) => role === 'tool');
	if (toolResult)
		return { role: 'assistant', content: `The crew says: ${toolResult.content ?? ''}` };
	const call = {
		id: 'call_1',
		type: 'function',
		function: { name: tools?.[0]?.function.name, arguments: JSON.stringify(toolArguments) },
	};
	return { role: 'assistant', content: null, tool_calls: [call] };
}

function completion(message: object): object {
	const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
	return {
		id: 'chatcmpl-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

async function close(server: Server): Promise<void> {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
}
