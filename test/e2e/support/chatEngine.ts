import { request, type IncomingMessage } from 'node:http';

import type { CrewDefinition, Engine } from '../../../crew-server/src';
import { jsonOf } from '../../../sandbox/src/loopback';

/**
 * Makes a chat endpoint do the only task of a crew: it gets `Current task: <description>`, and the work lasts until it
 * answers.
 */
export function chatEngine(crew: CrewDefinition, url: string): Engine {
	return {
		crew,
		parallel: Infinity,
		begin: (run) => {
			const [task] = run.execution.tasks;
			if (!task) throw new Error('The crew has no task.');
			const { taskId, description } = task;
			const ending = new AbortController();
			const work = async () => {
				await run.report({ type: 'task_begun', taskId });
				const output = await ask(url, `Current task: ${description}`, ending.signal);
				await run.report({ type: 'task_done', taskId, output }, { type: 'crew_done' });
			};
			const finished = work().catch(async (error: unknown) => {
				if (ending.signal.aborted) return;
				await run.report({ type: 'failed', error: String(error) });
			});
			return {
				finished,
				end: () => {
					ending.abort();
				},
			};
		},
		close: () => Promise.resolve(),
	};
}

/** Without a time limit, since the test decides when it is answered. */
async function ask(url: string, content: string, signal: AbortSignal): Promise<string> {
	const body = JSON.stringify({ model: 'held', messages: [{ role: 'user', content }] });
	const headers = { 'content-type': 'application/json' };
	const answer = await new Promise<IncomingMessage>((resolve, reject) => {
		request(`${url}/chat/completions`, { method: 'POST', headers, signal }, resolve)
			.on('error', reject)
			.end(body);
	});
	const { choices } = await jsonOf<ChatCompletion>(answer);
	return choices[0]?.message.content ?? '';
}

interface ChatCompletion {
	choices: Array<{ message: { content: string } }>;
}
