import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { jsonOf, listenOnLoopback, unlessBrokenOff } from '../../../sandbox/src/loopback';
import { fitting, type JsonSchema } from './fitting';
import { problemOf, type ChatMessage } from './conversation';

export interface ChatRequest {
	model: string;
	messages: ChatMessage[];
	tools?: Array<{ type: string; function: { name: string } }>;
	response_format?: { type: string; json_schema?: { name: string; schema: JsonSchema } };
	stream?: boolean;
}

/** A text, a call of a tool, or a refusal with this status. */
export type Saying = string | { tool: string; arguments?: object } | { status: number };

/** The model's answer to a request; `undefined` if it never answers. */
export type Script = (request: ChatRequest) => Saying | undefined | Promise<Saying | undefined>;

export interface ScriptedModel {
	/** Variables for CrewAI. The model refuses every other key. */
	env: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string; MODEL: string };
	/** Chat requests so far, including refused ones. */
	asked: ChatRequest[];
	embeddings: number;
	/** Texts that were embedded. */
	embedded: string[];
	script: Script;
	/** The answer for structured output with this name; by default, something that fits. */
	structure: (name: string) => unknown;
	close: () => Promise<void>;
}

const KEY = 'test-key-0123456789-wxyz';
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** The model's default answer, by how often it was called before. */
const answerText = (index: number) => `Answer ${index + 1}`;

/**
 * A model with OpenAI's API, which refuses what OpenAI refuses: a wrong key, an impossible conversation, a missing
 * field.
 */
export async function startScriptedModel(script?: Script): Promise<ScriptedModel> {
	const server = createServer((request, response) => {
		answer(model, request, response).catch(unlessBrokenOff(request));
	});
	const { url, close } = await listenOnLoopback(server);
	const model: ScriptedModel = {
		env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, MODEL: 'gpt-4o-mini' },
		asked: [],
		embeddings: 0,
		embedded: [],
		script: script ?? (() => answerText(model.asked.length - 1)),
		structure: () => undefined,
		close,
	};
	return model;
}

async function answer(
	model: ScriptedModel,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const send = (status: number, body: object) => {
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	};
	const refuse = (status: number, message: string, code: string | null = null) => {
		send(status, { error: { message, type: 'invalid_request_error', param: null, code } });
	};
	const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
	if (key !== model.env.OPENAI_API_KEY) {
		const masked = `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`;
		refuse(401, `Incorrect API key provided: ${masked}.`, 'invalid_api_key');
		return;
	}
	if (request.url === '/v1/embeddings') {
		model.embeddings += 1;
		const wanted = await jsonOf<EmbeddingRequest>(request);
		model.embedded.push(...[wanted.input].flat().map(String));
		send(200, embeddingsFor(wanted));
		return;
	}
	if (request.url !== '/v1/chat/completions' || request.method !== 'POST') {
		refuse(404, `Unknown request URL: ${request.method ?? ''} ${request.url ?? ''}.`);
		return;
	}
	const chat = await jsonOf<ChatRequest>(request);
	model.asked.push(chat);
	const problem = problemOf(chat);
	if (problem !== undefined) {
		refuse(400, problem);
		return;
	}
	const wanted = chat.response_format?.json_schema;
	const saying = wanted
		? JSON.stringify((await model.structure(wanted.name)) ?? fitting(wanted.schema))
		: await model.script(chat);
	if (saying === undefined) return;
	if (typeof saying === 'object' && 'status' in saying) {
		refuse(saying.status, `The model answers ${saying.status}.`);
		return;
	}
	send(200, completion(chat.model, saying, model.asked.length));
}

function completion(model: string, saying: Exclude<Saying, { status: number }>, index: number) {
	const isText = typeof saying === 'string';
	const message = isText
		? { role: 'assistant', content: saying }
		: {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: `call_${index}`,
						type: 'function',
						function: { name: saying.tool, arguments: JSON.stringify(saying.arguments ?? {}) },
					},
				],
			};
	return {
		id: `chatcmpl-${index}`,
		object: 'chat.completion',
		created: 0,
		model,
		choices: [{ index: 0, message, finish_reason: isText ? 'stop' : 'tool_calls' }],
		usage: USAGE,
	};
}

export interface EmbeddingRequest {
	input: string | unknown[];
	model: string;
	encoding_format?: string;
	dimensions?: number;
}

export function embeddingsFor({
	input,
	model,
	encoding_format,
	dimensions = 1536,
}: EmbeddingRequest) {
	const vector = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
	const embedding =
		encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
	const inputs = Array.isArray(input) ? input : [input];
	return {
		object: 'list',
		model,
		data: inputs.map((_, index) => ({ object: 'embedding', index, embedding })),
		usage: { prompt_tokens: 1, total_tokens: 1 },
	};
}
