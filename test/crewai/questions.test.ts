import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, type Deployment } from './support/deployment';
import { childrenOfHosts } from './support/processes';
import { startScriptedModel, type ChatRequest, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let receiver: Receiver;
let deployment: Deployment;

beforeAll(async () => {
	model = await startScriptedModel();
	receiver = await startReceiver();
	deployment = await deploy('desk', model);
});
afterAll(async () => {
	await deployment.close();
	await receiver.close();
	await model.close();
});
beforeEach(() => {
	model.asked.length = 0;
	receiver.received.length = 0;
	model.script = script;
});

/** Looks something up before it drafts; numbers what it says to each task. */
function script({ messages, tools }: ChatRequest) {
	const text = JSON.stringify(messages);
	const isDraft = tools !== undefined && text.includes('Draft a text');
	if (isDraft && !messages.some(({ role }) => role === 'tool')) {
		return { tool: 'look_up', arguments: { what: 'Tea' } };
	}
	return isDraft ? `Draft ${model.asked.length}` : `Text ${model.asked.length}`;
}

const question = async (kickoffId: string) =>
	await until(async () => {
		const { body } = await deployment.client.get(`/${kickoffId}/status`);
		if (body['status'] === 'error') throw new Error(String(body['error']));
		return body['status'] === 'pending_human_input' && body;
	}, PATIENCE);

const answer = async (kickoffId: string, taskId: string, isApprove: boolean, feedback = '') =>
	(
		await deployment.client.post('/resume', {
			execution_id: kickoffId,
			task_id: taskId,
			human_feedback: feedback,
			is_approve: isApprove,
		})
	).body;

/** The texts of a conversation, by who said them. */
const conversation = ({ messages }: ChatRequest) =>
	messages.map(({ role, content, tool_calls }) =>
		tool_calls ? [role, tool_calls.map(({ id }) => id)] : [role, content],
	);

it('asks a person with no process waiting, and continues at the question: approved, rejected, structured', async () => {
	const kickoffId = await deployment.client.kickoff({ inputs: { topic: 'Tea' } });
	expect(await question(kickoffId)).toMatchObject({
		task_id: 'draft_task',
		task_output: 'Draft 2',
		progress: { completed_tasks: 0, total_tasks: 3 },
	});
	await until(() => childrenOfHosts().length <= 1, PATIENCE);
	expect(model.asked).toHaveLength(2);

	// Rejected: the model is called once, with the conversation, what was rejected, and why.
	expect(await answer(kickoffId, 'draft_task', false, 'More about milk')).toMatchObject({
		status: 'retrying',
	});
	expect(await question(kickoffId)).toMatchObject({
		task_id: 'draft_task',
		task_output: 'Draft 3',
	});
	expect(model.asked).toHaveLength(3);
	const [, before, after] = model.asked.map(conversation);
	expect(after?.slice(0, before?.length)).toEqual(before);
	expect(after?.slice(before?.length)).toEqual([
		['assistant', 'Draft 2'],
		['user', expect.stringContaining('More about milk')],
	]);
	expect((await deployment.crew.executions()).at(-1)?.tasks[0]).toMatchObject({ attempts: 2 });

	// Rejected once more, and approved with a remark that later tasks are told.
	await answer(kickoffId, 'draft_task', false, 'Less about milk');
	await until(() => model.asked.length === 4, PATIENCE);
	expect(await question(kickoffId)).toMatchObject({ task_output: 'Draft 4' });
	expect(conversation(model.asked[3]!).filter(([role]) => role === 'assistant')).toHaveLength(3);
	await answer(kickoffId, 'draft_task', true, 'Mention the pot');

	// The guardrail comes after the person, as in CrewAI.
	model.script = () => (model.asked.length === 5 ? 'A long text' : `Text ${model.asked.length}`);
	await until(() => model.asked.length === 5, PATIENCE);
	expect(await question(kickoffId)).toMatchObject({
		task_id: 'edit_task',
		task_output: 'A long text',
	});
	const told = JSON.stringify(model.asked[4]?.messages);
	expect(told).toContain('Draft 4');
	expect(told).toContain('Mention the pot');
	await answer(kickoffId, 'edit_task', true);
	await until(() => model.asked.length === 6, PATIENCE);
	expect(await question(kickoffId)).toMatchObject({
		task_id: 'edit_task',
		task_output: 'Text 6\n\nA guardrail has refused the answer before this one: Too long',
	});
	expect(existsSync(join(deployment.folder, 'text.md'))).toBe(false);
	await answer(kickoffId, 'edit_task', true);

	await until(async () => (await question(kickoffId))['task_id'] === 'note_task', PATIENCE);
	expect(readFileSync(join(deployment.folder, 'text.md'), 'utf8')).toBe('Text 6');
	// What the first process's hook has set applies to all processes.
	expect(JSON.stringify(model.asked.map(({ messages }) => messages))).not.toContain('edition 2');
	const calls = model.asked.length;
	await answer(kickoffId, 'note_task', true);
	expect(await deployment.ended(kickoffId)).toMatchObject({
		status: 'completed',
		result: { tasks: [{ output: 'Draft 4' }, { output: 'Text 6' }, {}] },
	});
	expect(model.asked).toHaveLength(calls);
	const { result, tasks } = (await deployment.crew.executions()).at(-1) ?? {};
	expect(result?.outputJson).toEqual({ title: 'some text', stars: 1 });
	expect(tasks?.map(({ attempts }) => attempts)).toEqual([3, 1, 1]);
	expect(readFileSync(join(deployment.folder, 'called.txt'), 'utf8')).toBe('draft_task\n');
});

it('is rejected twice at each task and then approved, with one call of the model for each rejection', async () => {
	const kickoffId = await deployment.client.kickoff({ inputs: { topic: 'Tea' } });
	for (const taskId of ['draft_task', 'edit_task', 'note_task']) {
		for (const [isApprove, remark] of ANSWERS) {
			await until(async () => (await question(kickoffId))['task_id'] === taskId, PATIENCE);
			await until(() => childrenOfHosts().length <= 1, PATIENCE);
			const calls = model.asked.length;
			await answer(kickoffId, taskId, isApprove, remark);
			if (isApprove) continue;
			await until(() => model.asked.length > calls, PATIENCE);
			await question(kickoffId);
			expect(model.asked).toHaveLength(calls + 1);
			const [before, after] = model.asked.slice(-2).map(conversation);
			expect(after?.slice(0, -2)).toEqual(before);
			expect(after?.at(-2)?.[0]).toBe('assistant');
			expect(after?.at(-1)).toEqual(['user', expect.stringContaining(remark)]);
		}
	}
	expect(await deployment.ended(kickoffId)).toMatchObject({ status: 'completed' });
	const { result, tasks } = (await deployment.crew.executions()).at(-1) ?? {};
	expect(tasks?.map(({ attempts }) => attempts)).toEqual([3, 3, 3]);
	expect(tasks?.map(({ output }) => output).slice(0, 2)).toEqual(['Draft 4', 'Text 7']);
	expect(readFileSync(join(deployment.folder, 'text.md'), 'utf8')).toBe('Text 7');
	expect(result?.outputJson).toEqual({ title: 'some text', stars: 1 });
	// A tool call and an answer for the first task, an answer for each of the others, two more for each.
	expect(model.asked).toHaveLength(2 + 1 + 1 + 3 * 2);
});

const ANSWERS = [
	[false, 'More about milk'],
	[false, 'Less about milk'],
	[true, ''],
] as const;

it('reports everything once and in order across the questions', async () => {
	const url = (kind: string) => `${receiver.url}/${kind}`;
	const callbacks = {
		taskWebhookUrl: url('task'),
		stepWebhookUrl: url('step'),
		crewWebhookUrl: url('crew'),
		humanInputWebhook: { url: url('human') },
		webhooks: { url: url('stream'), events: EVENTS, realtime: true },
	};
	const kickoffId = await deployment.client.kickoff({ inputs: { topic: 'Tea' }, ...callbacks });
	for (const taskId of ['draft_task', 'edit_task', 'note_task']) {
		await until(async () => (await question(kickoffId))['task_id'] === taskId, PATIENCE);
		await deployment.client.post('/resume', {
			execution_id: kickoffId,
			task_id: taskId,
			human_feedback: '',
			is_approve: true,
			...callbacks,
		});
	}
	await deployment.ended(kickoffId);
	// They are in order at each path, but do not wait for other paths.
	await until(
		() =>
			receiver.bodiesAt('/crew').length > 0 &&
			receiver.bodiesAt('/task').length > 2 &&
			receiver.bodiesAt('/step').length > 3 &&
			JSON.stringify(receiver.bodiesAt('/stream')).includes('crew_kickoff_completed'),
		PATIENCE,
	);
	expect(receiver.bodiesAt('/task').map(({ name }) => name)).toEqual([
		'draft_task',
		'edit_task',
		'note_task',
	]);
	expect(receiver.bodiesAt('/human').map(({ task_id }) => task_id)).toEqual([
		'draft_task',
		'edit_task',
		'note_task',
	]);
	expect(receiver.bodiesAt('/step')).toHaveLength(4);
	expect(receiver.bodiesAt('/crew')).toHaveLength(1);
	const types = receiver
		.bodiesAt('/stream')
		.flatMap(({ events }) => events as Array<{ type: string }>)
		.map(({ type }) => type);
	const ofTask = [
		'task_started',
		'agent_execution_started',
		'agent_execution_completed',
		'task_completed',
	];
	expect(types).toEqual([
		'crew_kickoff_started',
		...ofTask,
		...ofTask,
		...ofTask,
		'crew_kickoff_completed',
	]);
});

const EVENTS = [
	'crew_kickoff_started',
	'crew_kickoff_completed',
	'task_started',
	'task_completed',
	'agent_execution_started',
	'agent_execution_completed',
];
