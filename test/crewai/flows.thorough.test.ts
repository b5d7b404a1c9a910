import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import { until } from '../crew-server/support/until';
import { copyProject, deploy, PATIENCE, python, type Deployment } from './support/deployment';
import { childrenOfHosts, hostsOf } from './support/processes';
import { answer, pauseOrEnd } from './support/questions';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let receiver: Receiver;
let deployment: Deployment | undefined;

beforeAll(async () => {
	model = await startScriptedModel();
	receiver = await startReceiver();
});
afterAll(async () => {
	await receiver.close();
	await model.close();
});
beforeEach(() => {
	model.asked.length = 0;
	model.script = () => `Answer ${model.asked.length}`;
});
afterEach(async () => {
	await deployment?.close();
	deployment = undefined;
});

it('Python flow: its methods are tasks, the fields of its state are inputs, and its crews are steps. Lost: what JSON cannot hold.', async () => {
	deployment = await deploy('content_flow', model);
	const { client, crew } = deployment;
	const payload = {
		name: 'crewai_trigger_payload',
		type: 'object',
		required: false,
		description: 'What has triggered the flow',
	};
	expect((await client.get('/inputs')).body).toEqual({
		inputs: [
			{ name: 'topic', type: 'string', required: false, description: 'What the post is about' },
			{ name: 'words', type: 'integer', required: false, default: 100 },
			{ name: 'strict', type: 'boolean', required: false, default: false },
			{ name: 'tags', type: 'array', required: false },
			{ name: 'style', type: 'object', required: false },
			{ name: 'final_post', type: 'string', required: false },
			payload,
		],
	});
	expect((await client.post('/kickoff', { inputs: { words: 'many' } })).status).toBe(400);

	const kickoffId = await client.kickoff({
		inputs: { words: 7, tags: ['new'], crewai_trigger_payload: { topic: 'Tea' } },
		taskWebhookUrl: `${receiver.url}/task`,
		stepWebhookUrl: `${receiver.url}/step`,
		crewWebhookUrl: `${receiver.url}/crew`,
	});
	const output = '{"post": "Answer 2", "words": 7, "tags": ["new"]}';
	expect(await deployment.ended(kickoffId)).toMatchObject({
		status: 'completed',
		result: {
			output,
			tasks: [
				{ task_id: 'plan_content', output: 'Tea', agent: 'ContentFlow' },
				{ task_id: 'generate_content', output: 'Answer 2' },
				{ task_id: 'save_content', output },
			],
		},
	});
	// They are in order at each path, and wait for none at another.
	await until(
		() =>
			receiver.bodiesAt('/crew').length > 0 &&
			receiver.bodiesAt('/task').length > 2 &&
			receiver.bodiesAt('/step').length > 1,
		PATIENCE,
	);
	expect(receiver.bodiesAt('/task')).toMatchObject([
		{ name: 'plan_content', description: 'Find a topic' },
		{ name: 'generate_content', description: 'Have a crew write the post' },
		{ name: 'save_content' },
	]);
	expect(receiver.bodiesAt('/step')).toMatchObject([
		{ prompt: expect.stringContaining('Plan a post about Tea') as string, result: 'Answer 1' },
		{ prompt: expect.stringContaining('Write the post about Tea') as string, result: 'Answer 2' },
	]);
	expect(receiver.bodiesAt('/crew')).toMatchObject([
		{ result_json: { post: 'Answer 2', words: 7 }, token_usage: { total_tokens: 30 } },
	]);

	expect(await deployment.run({ topic: '../../x' })).toMatchObject({
		status: 'error',
		error: expect.stringContaining('out of its folder') as string,
	});

	// It continues after the method that had ended.
	const { script } = model;
	model.script = () => undefined;
	const before = model.asked.length;
	const interrupted = await client.kickoff({ inputs: { topic: 'Milk' } });
	await until(() => model.asked.length > before, PATIENCE);
	model.script = script;
	for (const pid of hostsOf()) process.kill(pid, 'SIGKILL');
	expect(await deployment.ended(interrupted)).toMatchObject({ status: 'completed' });
	expect(model.asked).toHaveLength(before + 3);
	const [last] = (await crew.executions()).slice(-1);
	expect(last?.tasks.map(({ interruptions = 0 }) => interruptions)).toEqual([0, 1, 0]);
});

it('Declarative flow: outputs survive a question. Lost: nothing.', async () => {
	const copy = copyProject('declared_flow', model.env);
	const options = { crew: copy.folder, project: { python }, dataFolder: join(copy.folder, 'data') };
	const first = await deployApart(options);
	let client = new Client(first.crew);
	expect((await client.get('/inputs')).body).toEqual({
		inputs: [
			{ name: 'topic', type: 'string', required: true, description: 'What the briefing is about' },
			{ name: 'audience', type: 'string', required: false, default: 'everybody' },
			{ name: 'pages', type: 'integer', required: false },
		],
	});
	expect((await client.post('/kickoff', { inputs: {} })).status).toBe(422);
	const kickoffId = await client.kickoff({ inputs: { topic: 'Tea' } });
	const question = {
		status: 'pending_human_input',
		task_id: 'review',
		task_output: 'Answer 1\n\nAre the facts good? (approved, rejected)',
	};
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject(question);
	await until(() => childrenOfHosts(first.child.pid).length <= 1, PATIENCE);
	await answer(client, kickoffId, 'review', false);
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject(question);
	await first.kill();

	const second = await startCrewServer(options);
	expect(second.crew).toMatchObject({ name: 'DeclaredFlow', kind: 'declarative flow' });
	client = new Client(second);
	await answer(client, kickoffId, 'review', false, 'Approved');
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
		status: 'completed',
		result: {
			output: 'Briefing for everybody: Answer 1',
			tasks: [
				{ task_id: 'research', output: 'Answer 1' },
				{ task_id: 'review', output: 'Answer 1' },
				{ task_id: 'brief' },
			],
		},
	});
	expect(model.asked).toHaveLength(1);
	await second.close();
	copy.remove();
});

it('Crew inside a flow: its question keeps the process running. Lost: everything, if that ends.', async () => {
	const copy = copyProject('desk_flow', model.env);
	const options = {
		crew: copy.folder,
		project: { python, parallel: 1 },
		dataFolder: join(copy.folder, 'data'),
	};
	const crew = await startCrewServer(options);
	const client = new Client(crew);
	expect((await client.get('/inputs')).body).toEqual({ inputs: [] });
	const kickoffId = await client.kickoff({ inputs: { topic: 'Milk' } });
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
		task_id: 'write',
		task_output: 'Answer 1',
	});
	// They do not wait for each other.
	const [stopped, left] = [
		await client.kickoff({ inputs: {} }),
		await client.kickoff({ inputs: {} }),
	];
	expect(await pauseOrEnd(client, stopped)).toMatchObject({ task_id: 'write' });
	expect(await pauseOrEnd(client, left)).toMatchObject({ task_id: 'write' });
	expect((await client.post(`/stop/${stopped}`, {})).status).toBe(200);

	await answer(client, kickoffId, 'write', false, 'More about cows');
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({ task_output: 'Answer 4' });
	expect(model.asked[3]?.messages.slice(-2)).toMatchObject([
		{ role: 'assistant', content: 'Answer 1' },
		{ role: 'user', content: expect.stringContaining('More about cows') as string },
	]);
	await answer(client, kickoffId, 'write', true);
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
		status: 'completed',
		result: { output: 'Answer 5!', tasks: [{ output: 'Milk' }, { output: 'Answer 5' }, {}] },
	});
	expect((await crew.executions())[0]?.tasks.map(({ attempts }) => attempts)).toEqual([1, 2, 1]);

	await crew.close();
	const again = await startCrewServer(options);
	const statusOf = async () => (await new Client(again).get(`/${left}/status`)).body;
	await until(async () => (await statusOf())['status'] === 'error', PATIENCE);
	expect(await statusOf()).toMatchObject({
		error:
			'The process that waited for a person ended with the server or its host. A flow cannot continue in the middle of a method: start it again.',
	});
	await again.close();
	copy.remove();
});

it('`Flow.ask()`, `input()`: the question keeps the process running. Lost: everything, if that ends.', async () => {
	deployment = await deploy('asking_flow', model);
	const { client, crew } = deployment;
	const terminalId = await client.kickoff({ inputs: { way: 'terminal' } });
	const { task_id: asks } = await pauseOrEnd(client, terminalId);
	await answer(client, terminalId, String(asks), true);
	expect(await deployment.ended(terminalId)).toMatchObject({ status: 'completed' });
	const promptsId = await client.kickoff({ inputs: { way: 'prompts' } });
	for (const [question, feedback] of [
		['What is it about?', 'Tea'],
		['The flow asks for an answer, and does not say for which.', ''],
	] as const) {
		const asked = async () => {
			const { body } = await client.get(`/${promptsId}/status`);
			return body['status'] === 'pending_human_input' && body['task_output'] === question && body;
		};
		const { task_id } = await until(asked, PATIENCE);
		expect(task_id).toBe('read_lines');
		const reply = { execution_id: promptsId, task_id, human_feedback: feedback, is_approve: true };
		await client.post('/resume', reply);
	}
	expect(await deployment.ended(promptsId)).toMatchObject({
		status: 'completed',
		result: { output: '["Tea", ""]' },
	});
	expect(await deployment.run({ way: 'flow' })).toMatchObject({
		status: 'error',
		error: expect.stringMatching(
			/^The flow InnerFlow asks a person with @human_feedback inside the method start_another/,
		) as string,
	});
	const kickoffId = await client.kickoff({
		inputs: { way: 'persons' },
		webhooks: { url: `${receiver.url}/lost`, events: ['task_failed'], realtime: true },
	});
	const { task_id: asked } = await pauseOrEnd(client, kickoffId);
	const lost = asked === 'first' ? 'second' : 'first';
	await until(() => receiver.received.some(({ path }) => path === '/lost'), PATIENCE);
	expect(receiver.received.at(-1)?.body).toMatchObject({
		events: [
			{
				data: {
					task_id: lost,
					error: `It asked a person at the same time as ${String(asked)}, and a flow can continue from only one question.`,
				},
			},
		],
	});
	await answer(client, kickoffId, String(asked), true);
	expect(await deployment.ended(kickoffId)).toMatchObject({
		status: 'completed',
		result: { tasks: [{ task_id: 'greet' }, { task_id: 'choose' }, { task_id: asked }] },
	});
	const [last] = (await crew.executions()).slice(-1);
	expect(last?.tasks.find(({ taskId }) => taskId === lost)).toMatchObject({ state: 'failed' });
});
