import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { expectSame, FEEDBACK, runBoth } from './support/comparison';
import { PATIENCE } from './support/deployment';
import { isAlive } from './support/processes';
import { startScriptedModel, type ChatRequest, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
	model.script = () => 'A text';
});

const textOf = ({ messages }: ChatRequest) => JSON.stringify(messages);
const twice = (...tasks: string[]) => [...tasks, ...tasks];
const hasUsedTool = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'tool');

const statusWhen = async (
	client: Client,
	kickoffId: string,
	holds: (status: Record<string, unknown>) => boolean,
) =>
	await until(async () => {
		const { body } = await client.get(`/${kickoffId}/status`);
		return holds(body) && body;
	}, PATIENCE);

const asks = async (client: Client, kickoffId: string, taskId: string) =>
	await statusWhen(client, kickoffId, (body) => body['task_id'] === taskId);

const answer = async (client: Client, kickoffId: string, taskId: string, isApprove: boolean) => {
	const feedback = isApprove ? '' : FEEDBACK;
	const body = { task_id: taskId, is_approve: isApprove, human_feedback: feedback };
	return (await client.resume(kickoffId, body)).body['status'];
};

it('`output_pydantic`, `output_json`: the same structured output with and without questions. Lost: nothing.', async () => {
	const runs = await runBoth(model, { project: 'reviews' });
	expectSame(runs, twice('model_task', 'dictionary_task'));
	expect(runs.asking.called).toBe(
		"model_task ['Review']\ndictionary_task ['dict']\ntext_task []\n",
	);
});

it('Guardrails: they come after the person. A refusal asks again and says why, and counts. Lost: nothing.', async () => {
	model.script = (request) => (textOf(request).includes('too long') ? 'A text' : 'A long text');
	const runs = await runBoth(model, {
		project: 'gates',
		afterwards: async ({ client }) => {
			model.script = () => 'A long text';
			const kickoffId = await client.kickoff({ inputs: { topic: 'Tea', asks: true } });
			await asks(client, kickoffId, 'short_task');
			await answer(client, kickoffId, 'short_task', true);
			await statusWhen(client, kickoffId, ({ task_output: output }) =>
				String(output).includes('too long'),
			);
			await answer(client, kickoffId, 'short_task', true);
			const ended = await statusWhen(client, kickoffId, ({ status }) => status === 'error');
			expect(ended['error']).toContain('after 1 retries. Last error: It is too long');
		},
	});
	expectSame(runs, ['short_task', ...twice('short_task', 'kind_task')]);
	expect(runs.asking.callbacks['human']?.[2]).toMatchObject({
		task_output: 'A text\n\nA guardrail has refused the answer before this one: It is too long',
	});
});

it('`async_execution`: tasks ask side by side, and each is answered on its own. Lost: nothing.', async () => {
	const runs = await runBoth(model, {
		project: 'teamwork',
		afterwards: async ({ client }) => {
			let letTaste: (text: string) => void = () => undefined;
			const taste = new Promise<string>((resolve) => {
				letTaste = resolve;
			});
			model.asked.length = 0;
			model.script = (request) =>
				textOf(request).includes('Tell the taste') && request.messages.length === 2
					? taste
					: 'A text';
			const kickoffId = await client.kickoff({ inputs: { topic: 'Tea', asks: true } });
			// One asks, is rejected and asks again while the other is worked on.
			await asks(client, kickoffId, 'history_task');
			await until(() => model.asked.length === 2, PATIENCE);
			expect(await answer(client, kickoffId, 'history_task', false)).toBe('retrying');
			await until(() => model.asked.some((one) => textOf(one).includes(FEEDBACK)), PATIENCE);
			await asks(client, kickoffId, 'history_task');
			letTaste('A text');
			// Both are asked about. Answering one leaves the other where it is.
			await answer(client, kickoffId, 'history_task', true);
			await asks(client, kickoffId, 'taste_task');
			await answer(client, kickoffId, 'taste_task', true);
			await statusWhen(client, kickoffId, ({ status }) => status === 'completed');
			expect(model.asked).toHaveLength(4);
		},
	});
	expectSame(runs, twice('history_task', 'taste_task'));
});

it('Hierarchical process: the manager asks, and what it delegates shows as steps. Lost: nothing.', async () => {
	model.script = (request) => {
		const [, task = ''] = /Current Task: (\w+)/.exec(textOf(request)) ?? [];
		const delegates = request.tools?.some(({ function: { name } }) => name.startsWith('delegate'));
		if (!delegates || hasUsedTool(request)) return `${task} is done`;
		return {
			tool: 'delegate_work_to_coworker',
			arguments: { task: `${task} it`, context: 'All of it', coworker: 'Clerk' },
		};
	};
	const runs = await runBoth(model, { project: 'office' });
	expectSame(runs, twice('order_task', 'letter_task'));
	expect(runs.asking.callbacks['step']?.map(({ tool }) => tool)).toContain(
		'delegate_work_to_coworker',
	);
});

it('Memory, knowledge: recalled, saved and embedded as often as without questions. Lost: nothing.', async () => {
	const runs = await runBoth(model, { project: 'diary', withCopy: () => undefined });
	const varying = /id=[\w-]+|created=[\w:.-]+/g;
	for (const run of [runs.plain, runs.asking])
		run.asked = run.asked.map((conversation) => conversation.replaceAll(varying, ''));
	expectSame(runs, twice('entry_task'));
	expect(runs.plain.embeddings).toBeGreaterThan(0);
});

it('Crews that plan, agents that reason: plans are made once. Lost: nothing.', async () => {
	model.script = ({ tools = [] }) => {
		const step = { step_number: 1, description: 'Pack', tool_to_use: null, depends_on: [] };
		const plan = { plan: 'Pack a bag', steps: [step], ready: true };
		const plans = tools.some(({ function: { name } }) => name === 'create_reasoning_plan');
		return plans ? { tool: 'create_reasoning_plan', arguments: plan } : 'A text';
	};
	const runs = await runBoth(model, { project: 'journey' });
	expectSame(runs, twice('route_task', 'luggage_task'));
	const plans = runs.asking.asked.filter((one) => one.includes('Create an execution plan'));
	expect(plans).toHaveLength(1);
});

it('Conditional tasks: what was skipped stays skipped. Lost: nothing.', async () => {
	const runs = await runBoth(model, { project: 'crossroads', withCopy: () => undefined });
	expectSame(runs, twice('taken_task'));
	expect(runs.asking.called).toBe('start_task\ntaken_task\n');
});

it('MCP servers on stdio: they end with the execution, also if it is stopped or fails. Lost: what they hold.', async () => {
	model.script = (request) =>
		request.tools?.length && !hasUsedTool(request)
			? { tool: request.tools[0]!.function.name, arguments: { what: 'Tea' } }
			: 'A text';
	const runs = await runBoth(model, {
		project: 'toolbox',
		afterwards: async ({ folder, client }) => {
			const pids = () =>
				readFileSync(join(folder, 'servers.txt'), 'utf8').trim().split('\n').map(Number);
			const anyIsAlive = () => pids().some(isAlive);
			await until(() => !anyIsAlive(), PATIENCE);
			const before = pids().length;

			model.script = () => undefined;
			const stopped = await client.kickoff({ inputs: { topic: 'Tea', asks: false } });
			await until(() => pids().length > before && anyIsAlive(), PATIENCE);
			await client.post(`/stop/${stopped}`);
			await until(() => !anyIsAlive(), PATIENCE);

			model.script = () => ({ status: 401 });
			const failed = await client.kickoff({ inputs: { topic: 'Tea', asks: false } });
			await statusWhen(client, failed, ({ status }) => status === 'error');
			await until(() => !anyIsAlive(), PATIENCE);
		},
	});
	expectSame(runs, twice('weighing_task'));
});

describe('a crew that streams, and that a trigger has started', () => {
	let runs: Awaited<ReturnType<typeof runBoth>>;

	beforeAll(async () => {
		model.script = () => 'A text';
		const inputs = { crewai_trigger_payload: { from: 'Ann' } };
		runs = await runBoth(model, { project: 'letters', inputs });
	});

	it('`stream=True`: switched off, so the output comes whole. Lost: its chunks.', () => {
		expectSame(runs, twice('reading_task'));
	});

	it('Triggers (`crewai_trigger_payload`): the first task is told what they bring. Lost: nothing.', () => {
		const told = runs.asking.asked.map((conversation) => conversation.includes("'from': 'Ann'"));
		// The first task, once more after its rejection, and the second task.
		expect(told).toEqual([true, true, false]);
	});
});

it('JSON crew: inputs that it has values for are optional, and its tasks may ask. Lost: nothing.', async () => {
	const runs = await runBoth(model, {
		project: 'json_guide',
		inputs: { city: 'Graz' },
		withCopy: (folder) => {
			const path = join(folder, 'crew.jsonc');
			const asking = '"human_input": true, "context"';
			writeFileSync(path, readFileSync(path, 'utf8').replace('"context"', asking));
		},
	});
	expectSame(runs, twice('outline_2'));
	expect(runs.plain.asked[0]).toContain('Graz for two people');
});

it('Package named otherwise, without `[tool.crewai]`: it is found, and may import its siblings. Lost: nothing.', async () => {
	const runs = await runBoth(model, {
		project: 'herbs',
		inputs: { kraut: 'Minze' },
		withCopy: (folder) => {
			const tasks = join(folder, 'src', 'herbarium', 'config', 'tasks.yaml');
			appendFileSync(tasks, '  human_input: true\n');
		},
	});
	expectSame(runs, twice('beschreibung_für_gärtner'));
});
