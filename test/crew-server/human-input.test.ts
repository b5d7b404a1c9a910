import { randomUUID } from 'node:crypto';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { anyNumber, anyText, textWith } from './support/matchers';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;
let receiver: Receiver;

beforeEach(async () => {
	crew = await startCrewServer({ crew: 'reviewed-article' });
	client = new Client(crew);
	receiver = await startReceiver();
});
afterEach(async () => {
	await crew.close();
	await receiver.close();
});

const on = (path: string) => receiver.received.filter((one) => one.path === path);
const humanInputWebhook = () => ({
	url: `${receiver.url}/ask`,
	authentication: { strategy: 'bearer', token: 'secret' },
});

it('asks a person, and runs to the end after an approval', async () => {
	const meta = { ticket: 1 };
	const id = await client.kickoff({
		meta,
		humanInputWebhook: humanInputWebhook(),
		taskWebhookUrl: `${receiver.url}/task`,
	});
	await until(() => on('/ask').length === 1);
	expect(on('/ask')[0]).toMatchObject({ headers: { authorization: 'Bearer secret' } });
	expect(on('/ask')[0]?.body).toEqual({
		execution_id: id,
		task_id: 'write_draft',
		task_name: 'write_draft',
		question_id: '1',
		task_output: textWith('# Tea'),
		meta,
	});
	expect((await client.get(`/${id}/status`)).body).toEqual({
		status: 'pending_human_input',
		current_task: 'write_draft',
		progress: { completed_tasks: 0, total_tasks: 2 },
		task_id: 'write_draft',
		question_id: '1',
		task_output: textWith('# Tea'),
	});
	expect(on('/task')).toHaveLength(0);
	const answer = await client.resume(id, {
		human_feedback: 'Mention Assam',
		crewWebhookUrl: `${receiver.url}/crew`,
	});
	expect(answer).toMatchObject({
		status: 200,
		body: { status: 'resumed', message: anyText },
	});
	await until(() => on('/crew').length === 1);
	expect(on('/crew')[0]?.body).toMatchObject({
		result: textWith('Mention Assam'),
		meta,
	});
});

it('repeats the task after a rejection, with the feedback', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const answer = await client.resume(id, {
		is_approve: false,
		human_feedback: 'Shorter, please',
		humanInputWebhook: humanInputWebhook(),
		stepWebhookUrl: `${receiver.url}/step`,
	});
	expect(answer.body).toMatchObject({ status: 'retrying' });
	expect(await client.resume(id)).toMatchObject({ status: 400 });
	await until(() => on('/ask').length === 1);
	expect(on('/ask')[0]?.body).toMatchObject({
		task_output: textWith('Shorter, please'),
	});
	expect(on('/step').at(-1)?.body).toMatchObject({
		prompt: textWith('rejected the output of write_draft and said:\nShorter, please'),
	});
	expect((await crew.executions())[0]?.tasks[0]).toMatchObject({ attempts: 2 });
	await client.resume(id);
	await client.untilStatus(id, 'completed');
});

it('no longer calls what a resume does not name again', async () => {
	const id = await client.kickoff({
		humanInputWebhook: humanInputWebhook(),
		taskWebhookUrl: `${receiver.url}/task`,
		stepWebhookUrl: `${receiver.url}/step`,
		crewWebhookUrl: `${receiver.url}/crew`,
		webhooks: { url: `${receiver.url}/events`, events: ['task_completed'], realtime: true },
	});
	await until(() => on('/ask').length === 1);
	const before = (await crew.callbacks()).length;
	await client.resume(id);
	await client.untilStatus(id, 'completed');
	expect(await crew.callbacks()).toHaveLength(before);
});

it('answers `completed` if the last task is approved', async () => {
	await crew.close();
	crew = await startCrewServer({
		crew: {
			name: 'asks-last',
			inputs: [],
			tasks: [
				{
					name: 'write_draft',
					description: 'Write',
					expectedOutput: 'A text',
					agent: 'Writer',
					output: 'A text',
					duration: 1,
					humanInput: true,
				},
			],
		},
	});
	client = new Client(crew);
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const answer = await client.resume(id, { crewWebhookUrl: `${receiver.url}/crew` });
	expect(answer.body).toMatchObject({ status: 'completed' });
	expect((await client.get(`/${id}/status`)).body).toMatchObject({ status: 'completed' });
	await until(() => on('/crew').length === 1);
});

it('accepts one of several answers that come at once', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const texts = ['Good', 'Fine', 'Yes', 'Go on'];
	const answers = await Promise.all(
		texts.map((human_feedback) => client.resume(id, { human_feedback })),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
	await client.untilStatus(id, 'completed');
	const [execution] = await crew.executions();
	expect(execution?.questions).toMatchObject([{ answer: { isApprove: true } }]);
});

it('answers repeats of an answer like the first one, and counts it once', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const answers = await Promise.all(Array.from({ length: 5 }, () => client.resume(id)));
	await client.untilStatus(id, 'completed');
	answers.push(await client.resume(id));
	const { status, body } = answers[0]!;
	expect({ status, body }).toMatchObject({ status: 200, body: { status: 'resumed' } });
	for (const one of answers) expect(one).toMatchObject({ status, body });
	const [execution] = await crew.executions();
	expect(execution?.questions).toMatchObject([{ answer: { feedback: 'Good', isApprove: true } }]);
});

it('answers a repeat like the first one, even with a clock that is an hour off', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const { body } = await client.resume(id);
	const now = Date.now.bind(Date);
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
	expect(await client.resume(id)).toMatchObject({ status: 200, body });
	clock.mockRestore();
});

describe('a question asked again after a rejection', () => {
	const rejection = { is_approve: false, human_feedback: 'Shorter' };
	let id: string;
	beforeEach(async () => {
		id = await client.kickoff();
		await client.untilStatus(id, 'pending_human_input');
		await client.resume(id, { ...rejection, question_id: '1' });
		await until(async () => (await statusOf(id))['question_id'] === '2');
	});
	const statusOf = async (kickoffId: string) => (await client.get(`/${kickoffId}/status`)).body;

	it('is not answered by an answer that names the first one', async () => {
		expect(await client.resume(id, { question_id: '1' })).toMatchObject({ status: 400 });
		expect(await statusOf(id)).toMatchObject({ question_id: '2' });
		expect(await client.resume(id, { question_id: '2' })).toMatchObject({ status: 200 });
	});

	it('is not answered by a repeat of the rejection, unless that names it', async () => {
		for (const repeat of [rejection, { ...rejection, question_id: '1' }]) {
			expect(await client.resume(id, repeat)).toMatchObject({ body: { status: 'retrying' } });
			expect(await statusOf(id)).toMatchObject({ question_id: '2' });
		}
		await client.resume(id, { ...rejection, question_id: '2' });
		await until(async () => (await statusOf(id))['question_id'] === '3');
	});
});

it('can be stopped while it waits', async () => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	expect((await client.post(`/stop/${id}`)).status).toBe(200);
	expect(await client.resume(id)).toMatchObject({ status: 400 });
});

it.each([
	['an unknown execution', { execution_id: randomUUID() }, 404, 'Execution not found'],
	['an unknown task', { task_id: 'none' }, 404, 'Task not found'],
	['a task that does not wait', { task_id: 'publish' }, 400, 'not waiting'],
	['an identifier that is none', { execution_id: 'x' }, 400, 'execution_id'],
	['a text for a boolean', { is_approve: 'true' }, 400, 'is_approve'],
	['no feedback', { human_feedback: undefined }, 422, 'Missing required fields'],
	['a callback that is no URL', { crewWebhookUrl: 'x' }, 400, 'crewWebhookUrl'],
])('refuses a resume with %s', async (_case, body, status, message) => {
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const answer = await client.resume(id, body);
	expect(answer).toMatchObject({ status, body: { message: textWith(message) } });
	expect((await client.get(`/${id}/status`)).body).toMatchObject({ status: 'pending_human_input' });
});

it('ends in an error if a task fails, and reports it to the stream, not to the crew callback', async () => {
	await crew.close();
	crew = await startCrewServer({
		crew: {
			name: 'fails',
			inputs: [],
			tasks: [
				{
					name: 'search',
					description: 'Search',
					expectedOutput: 'Links',
					agent: 'Researcher',
					output: '',
					duration: 1,
					failure: 'The search gave up',
				},
			],
		},
	});
	client = new Client(crew);
	const id = await client.kickoff({
		crewWebhookUrl: `${receiver.url}/crew`,
		webhooks: { url: `${receiver.url}/events`, events: ['task_failed', 'crew_kickoff_failed'] },
	});
	expect(await client.untilStatus(id, 'error')).toEqual({
		status: 'error',
		error: 'The search gave up',
		execution_time: anyNumber,
	});
	await until(() => on('/events').length === 1);
	expect(on('/events')[0]?.body).toMatchObject({
		events: [
			{ type: 'task_failed', data: { error: 'The search gave up' } },
			{ type: 'crew_kickoff_failed', data: { error: 'The search gave up' } },
		],
	});
	expect(on('/crew')).toHaveLength(0);
});
