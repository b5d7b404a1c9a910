import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../crew-server/support/until';
import { expectSame, runBoth, twice } from './support/comparison';
import { PATIENCE } from './support/deployment';
import { isAlive } from './support/processes';
import { statusWhen } from './support/questions';
import { startScriptedModel, type ChatRequest, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
	model.script = () => 'A text';
});

const hasUsedTool = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'tool');

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

it('MCP servers on stdio: they end with the execution, even if it is stopped or fails. Lost: their state.', async () => {
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

it('JSON crew: inputs with a value in the file are optional, and tasks can ask. Lost: nothing.', async () => {
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

it('Package named otherwise, without `[tool.crewai]`: it is found, and can import its siblings. Lost: nothing.', async () => {
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
