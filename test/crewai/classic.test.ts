import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

const INPUTS = { topic: 'Tea', audience: 'beginners' };

let model: ScriptedModel;
let receiver: Receiver;
let deployment: Deployment;

beforeAll(async () => {
	model = await startScriptedModel();
	receiver = await startReceiver();
	deployment = await deploy('tea_guide', model, { project: { parallel: 20 } });
});
afterAll(async () => {
	await deployment.close();
	await receiver.close();
	await model.close();
});
beforeEach(() => {
	model.asked.length = 0;
	receiver.received.length = 0;
	model.script = () => `Answer ${model.asked.length}`;
});

it('describes the crew', async () => {
	const { crew, client } = deployment;
	expect((await client.get('/inputs')).body).toEqual({
		inputs: ['topic', 'audience'].map((name) => ({ name, type: 'string', required: true })),
	});
	expect(crew.crew).toMatchObject({
		name: 'TeaGuide',
		kind: 'crew',
		warnings: [],
		tasks: [
			{ name: 'research_task', agent: '{topic} Researcher', humanInput: false },
			{ name: 'writing_task', agent: 'Writer', humanInput: false },
		],
	});
});

it('refuses a kickoff that lacks inputs, before anything starts', async () => {
	const { client, crew } = deployment;
	const started = crew.started();
	const { status, body } = await client.post('/kickoff', { inputs: { topic: 'Tea' } });
	expect(status).toBe(422);
	expect(body).toMatchObject({ details: { missing_inputs: ['audience'] } });
	expect(crew.started()).toBe(started);
	expect(model.asked).toHaveLength(0);
});

it('does the work: status, results, callbacks and events, each once and in order', async () => {
	const { client, crew, folder } = deployment;
	rmSync(join(folder, 'report.md'), { force: true });
	const url = (kind: string) => `${receiver.url}/${kind}`;
	const kickoffId = await client.kickoff({
		inputs: INPUTS,
		meta: { order: 7 },
		taskWebhookUrl: url('task'),
		stepWebhookUrl: url('step'),
		crewWebhookUrl: url('crew'),
		webhooks: { url: url('stream'), events: EVENTS, realtime: true },
	});
	const status = await deployment.ended(kickoffId);

	expect(status).toMatchObject({
		status: 'completed',
		result: {
			output: 'Answer 2',
			tasks: [
				{ task_id: 'research_task', output: 'Answer 1', agent: 'Tea Researcher' },
				{ task_id: 'writing_task', output: 'Answer 2', agent: 'Writer' },
			],
		},
	});
	const { tasks } = status['result'] as { tasks: Array<{ execution_time: number }> };
	expect(tasks.every(({ execution_time }) => execution_time > 0)).toBe(true);
	expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe('Answer 2');
	const record = (await crew.executions()).find((one) => one.kickoffId === kickoffId);
	expect(record?.tokenUsage).toEqual({
		total_tokens: 30,
		prompt_tokens: 20,
		completion_tokens: 10,
	});
	expect(record?.lastStep).toMatchObject({ result: 'Answer 2' });
	expect(record?.lastStep?.prompt).toContain('Write a text about Tea for beginners.');

	// They are in order at each URL, but do not wait for other URLs.
	await until(
		() =>
			receiver.bodiesAt('/crew').length > 0 &&
			receiver.bodiesAt('/step').length > 1 &&
			receiver.bodiesAt('/task').length > 1 &&
			JSON.stringify(receiver.bodiesAt('/stream')).includes('crew_kickoff_completed'),
		PATIENCE,
	);
	expect(receiver.bodiesAt('/task')).toMatchObject([
		{
			name: 'research_task',
			description: 'Find out three things about Tea.\n',
			output: 'Answer 1',
			kickoff_id: kickoffId,
			meta: { order: 7 },
		},
		{ name: 'writing_task', agent: 'Writer', output: 'Answer 2' },
	]);
	expect(receiver.bodiesAt('/step').map(({ result }) => result)).toEqual(['Answer 1', 'Answer 2']);
	expect(receiver.bodiesAt('/crew')).toMatchObject([
		{ result: 'Answer 2', result_json: null, token_usage: { total_tokens: 30 } },
	]);
	const events = receiver
		.bodiesAt('/stream')
		.flatMap(({ events: some }) => some as Array<{ type: string }>);
	const ofTask = [
		'task_started',
		'agent_execution_started',
		'llm_call_started',
		'llm_call_completed',
		'agent_execution_completed',
		'task_completed',
	];
	expect(events.map(({ type }) => type)).toEqual([
		'crew_kickoff_started',
		...ofTask,
		...ofTask,
		'crew_kickoff_completed',
	]);
	const text = JSON.stringify(events);
	expect(text).not.toContain(model.env.OPENAI_API_KEY);
	expect(events.find(({ type }) => type === 'llm_call_started')).toMatchObject({
		data: { task_id: 'research_task', agent_role: 'Tea Researcher', model: 'gpt-4o-mini' },
	});
});

it('hands the output of a task to the next one', async () => {
	await deployment.run(INPUTS);
	expect(model.asked).toHaveLength(2);
	expect(JSON.stringify(model.asked[1]?.messages)).toContain('Answer 1');
});

it('accepts values of any type, and crewai_trigger_payload', async () => {
	model.script = () => 'Well';
	const status = await deployment.run({
		topic: ['a', 1, null],
		audience: 3,
		crewai_trigger_payload: { from: 'a trigger' },
	});
	expect(status).toMatchObject({ status: 'completed' });
	const asked = JSON.stringify(model.asked[1]?.messages);
	expect(asked).toContain("['a', 1, None] for 3");
	expect(JSON.stringify(model.asked[0]?.messages)).toContain('a trigger');
});

it.each([
	[401, /Incorrect API key|401/],
	[429, /429/],
	[500, /500/],
])('fails with CrewAI’s own text if the model answers %i', async (status, text) => {
	model.script = () => ({ status });
	const ended = await deployment.run(INPUTS);
	expect(ended).toMatchObject({ status: 'error', error: expect.stringMatching(text) as string });
	expect((await deployment.crew.executions()).at(-1)?.tasks).toMatchObject([
		{ taskId: 'research_task', state: 'failed' },
		{ taskId: 'writing_task', state: 'waiting' },
	]);
});

it('runs twenty executions at once, each with its own inputs', async () => {
	model.script = ({ messages }) => {
		const [, topic = ''] = /about (Tea \d+)/.exec(JSON.stringify(messages)) ?? [];
		return `All about ${topic}`;
	};
	const topics = Array.from({ length: 20 }, (_, index) => `Tea ${index}`);
	const ended = await Promise.all(
		topics.map((topic) => deployment.run({ topic, audience: 'all' })),
	);
	expect(ended.map(({ result }) => (result as { output: string }).output)).toEqual(
		topics.map((topic) => `All about ${topic}`),
	);
	expect(model.asked).toHaveLength(40);
});

it('Task-output database: not used, so executions do not disturb each other. Lost: `crewai replay`.', async () => {
	const data = join(deployment.folder, 'data');
	const kept = await deploy('tea_guide', model, { dataFolder: data });
	await kept.run(INPUTS);
	await kept.close();
	for (const name of ['executions.db', 'crewai']) {
		expect(statSync(join(data, name)).mode & 0o077).toBe(0);
	}
	expect(existsSync(join(data, 'crewai', 'latest_kickoff_task_outputs.db'))).toBe(false);
});

const EVENTS = [
	'crew_kickoff_started',
	'crew_kickoff_completed',
	'task_started',
	'task_completed',
	'agent_execution_started',
	'agent_execution_completed',
	'llm_call_started',
	'llm_call_completed',
	'flow_started',
	'flow_finished',
];
