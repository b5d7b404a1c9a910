import { request } from 'undici';

import type { CrewTask } from '../crew/definition';
import { fillTemplate } from '../crew/template';
import { promptFor, type Assignment } from './prompt';
import { TaskFailure, type WorkConditions, type Worker, type WorkResult } from './worker';

/** A chat endpoint that speaks as OpenAI's does. */
export interface ModelSettings {
	/** Base URL up to `/v1`; `/chat/completions` is appended. */
	url: string;
	/** The model's name at that endpoint. */
	name: string;
	/** Sent as a bearer token; none unless given. */
	apiKey?: string;
	/** Milliseconds for one answer; default 5 minutes. */
	timeout?: number;
}

const DEFAULT_TIMEOUT = 5 * 60_000;

/** Bytes of an answer that are read; what is longer is refused. */
const ANSWER_LIMIT = 32 * 1024 ** 2;

/** Characters of a refusal by the endpoint that are shown. */
const SHOWN_REFUSAL = 300;

/** Has a model work on the tasks, each with the outputs before it and what people said. */
export function modelWorker(settings: ModelSettings): Worker {
	return {
		async work(
			task: CrewTask,
			assignment: Assignment,
			{ signal, onStep }: WorkConditions,
		): Promise<WorkResult> {
			const prompt = promptFor(assignment);
			const system = instructionsFor(task, assignment);
			const result = readAnswer(await ask(settings, system, prompt, signal));
			onStep({ prompt, thought: `${settings.name} has answered.`, result: result.output });
			return result;
		},
	};
}

function instructionsFor(task: CrewTask, { inputs, agent }: Assignment): string {
	const parts = [`You are ${agent}.`];
	if (task.agentBackstory) parts.push(fillTemplate(task.agentBackstory, inputs));
	if (task.agentGoal) parts.push(`Your goal: ${fillTemplate(task.agentGoal, inputs)}`);
	parts.push('Answer with the output of your task alone, without words about it.');
	return parts.join('\n');
}

async function ask(
	{ url, name, apiKey, timeout = DEFAULT_TIMEOUT }: ModelSettings,
	system: string,
	prompt: string,
	signal: AbortSignal,
): Promise<unknown> {
	try {
		const { statusCode, body } = await request(`${url.replace(/\/+$/, '')}/chat/completions`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
			},
			body: JSON.stringify({
				model: name,
				messages: [
					{ role: 'system', content: system },
					{ role: 'user', content: prompt },
				],
			}),
			headersTimeout: timeout,
			bodyTimeout: timeout,
			signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
		});
		const text = await readText(body);
		if (statusCode === 200) return JSON.parse(text) as unknown;
		throw new TaskFailure(
			`The model's endpoint answered ${statusCode}: ${text.slice(0, SHOWN_REFUSAL)}`,
		);
	} catch (error) {
		if (error instanceof TaskFailure) throw error;
		const { name: sort, message } = error as Partial<Error>;
		const reason = sort === 'TimeoutError' ? `no answer within ${timeout} ms` : message;
		throw new TaskFailure(`The model's endpoint ${url} cannot be used: ${reason ?? 'no answer'}`);
	}
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > ANSWER_LIMIT) throw new TaskFailure("The model's answer is too long to be read.");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}

interface ChatAnswer {
	choices?: Array<{ message?: { content?: unknown } }>;
	usage?: { total_tokens?: number; prompt_tokens?: number; completion_tokens?: number };
}

function readAnswer(answer: unknown): WorkResult {
	const { choices, usage = {} } = (answer ?? {}) as ChatAnswer;
	const output = choices?.[0]?.message?.content;
	if (typeof output !== 'string' || output === '') {
		throw new TaskFailure("The model's endpoint answered without a text.");
	}
	const { total_tokens = 0, prompt_tokens = 0, completion_tokens = 0 } = usage;
	return { output, tokenUsage: { total_tokens, prompt_tokens, completion_tokens } };
}
