import { createServer, type ServerResponse } from 'node:http';

import { jsonOf, listenOnLoopback, unlessBrokenOff } from '../../../sandbox/src/loopback';
import { fitting, type JsonSchema } from '../support/fitting';
import { embeddingsFor, type EmbeddingRequest } from '../support/scriptedModel';

/** A model for any project: it calls the first tool that it is offered, once, and then gives the same answer to everything. */
export interface PlainModel {
	/** Variables that make each kind of client call it. */
	env: Record<string, string>;
	/** How often it has answered. */
	answered: number;
	close: () => Promise<void>;
}

const TEXT = 'Tea is ready.';
/** The form that agents expect if they read actions from text. */
const FINAL = `Thought: I now can give a great answer\nFinal Answer: ${TEXT}`;
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const KEY = 'sk-test-0123456789abcdefghijklmnopqrstuvwxyz';

interface Chat {
	model: string;
	stream?: boolean;
	messages?: Array<{ role: string; content?: unknown }>;
	tools?: Array<{ function?: Tool; input_schema?: JsonSchema; name?: string }>;
	tool_choice?: { function?: { name: string }; name?: string } | string;
	response_format?: { json_schema?: { schema: JsonSchema } };
}

interface Tool {
	name: string;
	parameters?: JsonSchema;
}

interface Saying {
	text?: string;
	call?: { name: string; input: unknown };
}

export async function startPlainModel(): Promise<PlainModel> {
	const server = createServer((request, response) => {
		const answer = async () => {
			const body = await jsonOf<Chat & EmbeddingRequest>(request);
			const path = request.url ?? '';
			if (path.endsWith('/embeddings')) {
				send(response, embeddingsFor(body));
				return;
			}
			model.answered += 1;
			const saying = sayingTo(body);
			if (path.endsWith('/messages')) send(response, asAnthropic(body.model, saying));
			else if (path.includes(':generateContent')) send(response, asGemini(saying));
			else if (body.stream) stream(response, body.model, saying);
			else send(response, asOpenai(body.model, saying));
		};
		answer().catch(unlessBrokenOff(request));
	});
	const { url, close } = await listenOnLoopback(server);
	const openai = `${url}/v1`;
	const model: PlainModel = {
		env: {
			OPENAI_API_KEY: KEY,
			OPENAI_BASE_URL: openai,
			OPENAI_API_BASE: openai,
			ANTHROPIC_API_KEY: KEY,
			ANTHROPIC_BASE_URL: url,
			GEMINI_API_KEY: KEY,
			GOOGLE_API_KEY: KEY,
			GOOGLE_GEMINI_BASE_URL: url,
			GROQ_API_KEY: KEY,
			GROQ_API_BASE: openai,
			OLLAMA_HOST: url,
		},
		answered: 0,
		close,
	};
	return model;
}

function send(response: ServerResponse, body: object): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}

function sayingTo({ messages = [], tools = [], tool_choice, response_format }: Chat): Saying {
	const schema = response_format?.json_schema?.schema;
	if (schema !== undefined) return { text: JSON.stringify(fitting(schema)) };
	const known = tools.map(({ function: one, name = '', input_schema }) => ({
		name: one?.name ?? name,
		parameters: one?.parameters ?? input_schema ?? {},
	}));
	const forced =
		typeof tool_choice === 'object' && (tool_choice.function?.name ?? tool_choice.name);
	const [first] = forced ? known.filter(({ name }) => name === forced) : known;
	const said = JSON.stringify(messages);
	const isAnswered = /"role":"tool"|"tool_result"/.test(said);
	if (first && (forced || !isAnswered)) {
		return { call: { name: first.name, input: fitting(first.parameters) } };
	}
	return { text: said.includes('Final Answer:') ? FINAL : TEXT };
}

function asOpenai(model: string, { text, call }: Saying): object {
	const made = call && {
		id: 'call_1',
		type: 'function',
		function: { name: call.name, arguments: JSON.stringify(call.input) },
	};
	const message = { role: 'assistant', content: text ?? null, ...(made && { tool_calls: [made] }) };
	const choice = { index: 0, message, finish_reason: made ? 'tool_calls' : 'stop' };
	return { ...HEAD, object: 'chat.completion', model, choices: [choice], usage: USAGE };
}

const HEAD = { id: 'chatcmpl-1', created: 0 };

function stream(response: ServerResponse, model: string, { text, call }: Saying): void {
	const called = call && { name: call.name, arguments: JSON.stringify(call.input) };
	const delta = called
		? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }
		: { role: 'assistant', content: text };
	const chunk = { ...HEAD, object: 'chat.completion.chunk', model };
	const chunks = [
		{ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
		{ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: called ? 'tool_calls' : 'stop' }] },
		{ ...chunk, choices: [], usage: USAGE },
	];
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.end([...chunks.map((one) => JSON.stringify(one)), '[DONE]'].map(asEvent).join(''));
}

const asEvent = (data: string) => `data: ${data}\n\n`;

function asAnthropic(model: string, { text, call }: Saying): object {
	const content = call ? { type: 'tool_use', id: 'toolu_1', ...call } : { type: 'text', text };
	const usage = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };
	const reason = call ? 'tool_use' : 'end_turn';
	const rest = { type: 'message', role: 'assistant', stop_sequence: null, stop_reason: reason };
	return { id: 'msg_1', ...rest, model, content: [content], usage };
}

function asGemini({ text, call }: Saying): object {
	const part = call ? { functionCall: { name: call.name, args: call.input } } : { text };
	return {
		candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
		usageMetadata: {
			promptTokenCount: USAGE.prompt_tokens,
			candidatesTokenCount: USAGE.completion_tokens,
			totalTokenCount: USAGE.total_tokens,
		},
	};
}
