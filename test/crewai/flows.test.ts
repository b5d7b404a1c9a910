import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python } from './support/deployment';
import { childrenOfHosts } from './support/processes';
import { answer, pauseOrEnd } from './support/questions';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let receiver: Receiver;

beforeAll(async () => {
	model = await startScriptedModel();
	receiver = await startReceiver();
});
afterAll(async () => {
	await receiver.close();
	await model.close();
});

it('`@human_feedback`: asks when nothing else in the flow is running. Loops and joins survive it. Lost: what JSON cannot hold.', async () => {
	const copy = copyProject('review_flow', model.env);
	const options = { crew: copy.folder, project: { python }, dataFolder: join(copy.folder, 'data') };
	let apart = await deployApart(options);
	let client = new Client(apart.crew);
	const callbacks = {
		taskWebhookUrl: `${receiver.url}/task`,
		crewWebhookUrl: `${receiver.url}/crew`,
		humanInputWebhook: { url: `${receiver.url}/human` },
	};
	const kickoffId = await client.kickoff({ inputs: { topic: 'Milk' }, ...callbacks });
	const calls = () => model.asked.map(({ messages }) => String(messages.at(-1)?.content));
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
		status: 'pending_human_input',
		task_id: 'review',
		task_output: expect.stringMatching(
			/^Answer \d \(1\)\n\nIs the draft good\? \(revise, approved\)$/,
		) as string,
	});
	// What ran at the same time has ended.
	expect(calls().sort()).toEqual(['Draft a text about Milk', 'Name a source']);
	await until(
		() => receiver.bodiesAt('/task').length === 2 && receiver.bodiesAt('/human').length === 1,
		PATIENCE,
	);

	model.script = () => undefined;
	const interrupted = await client.kickoff({ inputs: {} });
	await until(() => model.asked.length === 4, PATIENCE);
	await apart.kill();
	model.asked.length = 0;
	model.script = () => `Answer ${model.asked.length}`;
	apart = await deployApart(options);
	client = new Client(apart.crew);
	// It continues with the methods that were running: both of them, up to its own question.
	expect(await pauseOrEnd(client, interrupted)).toMatchObject({
		status: 'pending_human_input',
		task_id: 'review',
	});
	expect(calls().sort()).toEqual([expect.stringMatching(/^Draft a text/), 'Name a source']);
	model.asked.length = 0;

	const untilNoneWaits = async () => {
		await until(() => childrenOfHosts(apart.child.pid).length <= 1, PATIENCE);
	};
	// The model turns the feedback into an outcome, and knows the decision.
	await untilNoneWaits();
	await answer(client, kickoffId, 'review', false, 'More about cows', callbacks);
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
		task_id: 'review',
		task_output: expect.stringContaining('Draft with: More about cows\n\n') as string,
	});
	expect(calls()).toEqual([expect.stringContaining('Rejected. More about cows')]);
	// No feedback is needed if an outcome has the decision's name.
	await untilNoneWaits();
	await answer(client, kickoffId, 'review', true, '', callbacks);
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
		task_id: 'add',
		task_output: '{"rounds": 2}\n\nAnything to add?',
	});
	await untilNoneWaits();
	await answer(client, kickoffId, 'add', false, '', callbacks);
	const ended = await pauseOrEnd(client, kickoffId);
	expect(ended).toMatchObject({ status: 'completed' });
	const { output, tasks } = ended['result'] as { output: string; tasks: unknown[] };
	expect(JSON.parse(output)).toEqual({
		added: 'Rejected',
		output: { rounds: 2 },
		history: ['review: More about cows', 'review: ', 'add: Rejected'],
		topic: 'Milk',
	});
	expect(tasks).toMatchObject([
		{ task_id: 'draft' },
		{ task_id: 'research', output: expect.stringMatching(/^{"sources": \["Answer/) as string },
		{ task_id: 'review', output: 'Draft with: More about cows' },
		{ task_id: 'polish', output: 'Draft with: More about cows, polished' },
		{ task_id: 'add', output: '{"rounds": 2}' },
		{ task_id: 'publish', output },
	]);
	expect(calls()).toHaveLength(1);
	await until(() => receiver.bodiesAt('/crew').length > 0, PATIENCE);
	const told = receiver.bodiesAt('/task').map(({ name }) => name);
	expect(told.slice(0, 2).sort()).toEqual(['draft', 'research']);
	expect(told.slice(2)).toEqual(['review', 'review', 'polish', 'add', 'publish']);
	expect(receiver.bodiesAt('/human').map(({ task_id: taskId }) => taskId)).toEqual([
		'review',
		'review',
		'add',
	]);
	expect(receiver.bodiesAt('/crew')).toHaveLength(1);
	await apart.kill();
	copy.remove();
});

it('still asks if the server was killed before the process that asked had ended', async () => {
	const copy = copyProject('review_flow', model.env);
	const atEnd = '\nimport atexit, time\natexit.register(time.sleep, 4)\n';
	appendFileSync(join(copy.folder, 'src', 'review_flow', 'main.py'), atEnd);
	const options = { crew: copy.folder, project: { python }, dataFolder: join(copy.folder, 'data') };
	model.script = () => 'An answer';
	const before = await deployApart(options);
	const kickoffId = await new Client(before.crew).kickoff({ inputs: { topic: 'Milk' } });
	const asked = await pauseOrEnd(new Client(before.crew), kickoffId);
	expect(asked).toMatchObject({ status: 'pending_human_input', task_id: 'review' });
	await before.kill();

	const after = await deployApart(options);
	const client = new Client(after.crew);
	await until(() => childrenOfHosts(after.child.pid).length <= 1, PATIENCE);
	const { body } = await client.get(`/${kickoffId}/status`);
	expect(body).toMatchObject({
		status: 'pending_human_input',
		question_id: asked['question_id'],
	});
	await answer(client, kickoffId, 'review', true, '', {
		humanInputWebhook: { url: `${receiver.url}/again` },
	});
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({ task_id: 'add' });
	await after.kill();
	copy.remove();
});
