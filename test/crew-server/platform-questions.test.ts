import type { CrewServerOptions } from '../../crew-server/src';
import { textLike, textWith } from './support/matchers';
import { NOT_FOUND, startPlatform, UUID, type Platform } from './support/platform';
import { until } from './support/until';

/** The dialect `platform` while a person is asked: the execution is unknown, and continues under a new identifier. */

let platform: Platform;
let { crew, client, receiver, statusOf, untilState } = {} as Platform;

async function deploy(options?: CrewServerOptions): Promise<void> {
	platform = await startPlatform(options);
	({ crew, client, receiver, statusOf, untilState } = platform);
}
afterEach(() => platform.close());

/** Kicks off a crew that asks, and returns its question. */
async function ask(body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
	const asked = receiver.bodiesAt('/ask').length;
	await client.kickoff({ humanInputWebhookUrl: `${receiver.url}/ask`, ...body });
	return await until(() => receiver.bodiesAt('/ask')[asked]);
}

const decision = (asked: Record<string, unknown>, isApprove = true) => ({
	executionId: asked['execution_id'],
	taskId: asked['task_id'],
	human_feedback: 'Mention Assam',
	is_approve: isApprove,
});

describe('a person', () => {
	beforeEach(() => deploy({ crew: 'reviewed-article' }));

	it('is asked at a URL, without a token, and meanwhile the execution is unknown', async () => {
		const meta = { ticket: 1 };
		const asked = await ask({ meta, humanInputWebhook: { url: `${receiver.url}/object` } });
		const id = asked['execution_id'];
		expect(asked).toEqual({
			kickoff_id: id,
			execution_id: id,
			task_id: textLike(UUID),
			question_id: '1',
			task_output: textWith('# Tea'),
			meta,
		});
		expect(receiver.received[0]?.headers).not.toHaveProperty('authorization');
		expect(await statusOf(String(id))).toEqual(NOT_FOUND);
		expect(receiver.bodiesAt('/object')).toEqual([]);
		expect(receiver.received).toHaveLength(1);
	});

	it('approves in camelCase, and the execution continues under a new identifier', async () => {
		const asked = await ask({ meta: { ticket: 1 } });
		const old = String(asked['execution_id']);
		const answer = await client.post('/resume', {
			...decision(asked),
			crewWebhookUrl: `${receiver.url}/crew`,
			taskWebhookUrl: `${receiver.url}/task`,
			webhooks: { url: `${receiver.url}/events`, events: ['crew_kickoff_completed'] },
		});
		expect(answer).toMatchObject({ status: 200, body: { kickoff_id: textLike(UUID) } });
		expect(Object.keys(answer.body)).toEqual(['kickoff_id']);
		const id = String(answer.body['kickoff_id']);
		expect(id).not.toBe(old);
		expect(await statusOf(old)).toEqual(NOT_FOUND);
		expect(await untilState(id, 'SUCCESS')).toMatchObject({
			execution_origin: 'hitl-resume',
			result: textWith('Mention Assam'),
			progress: { completed: 2 },
			last_event: { execution_id: id },
		});
		await until(
			() => receiver.bodiesAt('/crew').length === 1 && receiver.bodiesAt('/events').length === 1,
		);
		expect(receiver.bodiesAt('/crew')).toMatchObject([{ kickoff_id: id, meta: { ticket: 1 } }]);
		expect(receiver.bodiesAt('/task')).toMatchObject([{ kickoff_id: id }, { kickoff_id: id }]);
		expect(receiver.bodiesAt('/events')).toMatchObject([{ events: [{ execution_id: id }] }]);
		expect((await crew.executions()).map(({ kickoffId }) => kickoffId)).toEqual([id]);
	});

	it('rejects, and is asked again under each new identifier', async () => {
		const first = await ask();
		const again = { humanInputWebhookUrl: `${receiver.url}/ask` };
		const rejected = await client.post('/resume', { ...decision(first, false), ...again });
		await until(() => receiver.bodiesAt('/ask').length === 2);
		const second = receiver.bodiesAt('/ask')[1]!;
		expect(second['execution_id']).toBe(rejected.body['kickoff_id']);
		expect(second['task_output']).toContain('Mention Assam');
		const approved = await client.post('/resume', decision(second));
		expect(await untilState(String(approved.body['kickoff_id']), 'SUCCESS')).toBeDefined();
	});

	it('sees its event stream end when the execution continues elsewhere', async () => {
		const asked = await ask();
		const stream = await fetch(`${crew.url}/${String(asked['execution_id'])}/events`, {
			headers: { authorization: `Bearer ${crew.accessToken}` },
		});
		const { body } = await client.post('/resume', decision(asked));
		expect(await stream.text()).not.toContain('crew_kickoff_completed');
		const next = await fetch(`${crew.url}/${String(body['kickoff_id'])}/events`, {
			headers: { authorization: `Bearer ${crew.accessToken}` },
		});
		expect(await next.text()).toContain('crew_kickoff_completed');
	});

	it('is told which two names are missing', async () => {
		const asked = await ask();
		const { executionId, taskId, ...said } = decision(asked);
		const missing = (name: string) => ({
			loc: ['body', name],
			msg: 'Field required',
			type: 'missing',
		});
		const inSnakeCase = { execution_id: executionId, task_id: taskId, ...said };
		expect(await client.post('/resume', inSnakeCase)).toMatchObject({
			status: 422,
			body: { detail: [missing('executionId'), missing('taskId')] },
		});
		expect(await client.post('/resume', { executionId, ...said })).toMatchObject({
			status: 422,
			body: { detail: [missing('taskId')] },
		});
		const inBoth = { executionId, taskId, humanFeedback: 'Good', isApprove: true };
		const { body } = await client.post('/resume', inBoth);
		expect(await untilState(String(body['kickoff_id']), 'SUCCESS')).toBeDefined();
	});

	it('is answered by the names that count here, whatever the other ones contain', async () => {
		const others = { execution_id: 7, task_id: 'none' };
		const answer = await client.post('/resume', { ...decision(await ask()), ...others });
		expect(answer).toMatchObject({ status: 200 });
		expect(await untilState(String(answer.body['kickoff_id']), 'SUCCESS')).toBeDefined();
	});

	it('gets a new identifier even for an unknown execution, and nothing continues under it', async () => {
		const asked = await ask();
		const unknown = { ...decision(asked), executionId: 'none' };
		for (const body of [unknown, { ...decision(asked), taskId: 'none' }]) {
			const answer = await client.post('/resume', body);
			expect(answer).toMatchObject({ status: 200, body: { kickoff_id: textLike(UUID) } });
			expect(await statusOf(String(answer.body['kickoff_id']))).toEqual(NOT_FOUND);
		}
		expect((await crew.executions())[0]?.state).toBe('pending_human_input');
	});
});

it.each([
	['object', ['/object']],
	['url', ['/url']],
	['both', ['/object', '/url']],
] as const)('calls for a question: %s', async (questions, paths) => {
	await deploy({ crew: 'reviewed-article', aspects: { questions } });
	await client.kickoff({
		humanInputWebhook: { url: `${receiver.url}/object` },
		humanInputWebhookUrl: `${receiver.url}/url`,
	});
	await until(() => receiver.received.length === paths.length);
	expect(receiver.received.map(({ path }) => path).sort()).toEqual(paths);
});

it('can have a word of its own while a person is asked', async () => {
	await deploy({ crew: 'reviewed-article', aspects: { pauseWord: 'PAUSED' } });
	const id = String((await ask())['execution_id']);
	expect(await statusOf(id)).toMatchObject({ state: 'PAUSED', status: null, result: null });
});

it('answers with a fault, for what follows the answer', async () => {
	await deploy({ crew: 'reviewed-article' });
	const fault = { 'x-crew-fault': 'task-fails@publish' };
	const { body } = await client.post('/resume', decision(await ask()), fault);
	expect(await untilState(String(body['kickoff_id']), 'FAILED')).toMatchObject({
		status: 'The task publish failed because of a planned fault.',
	});
});

it('is asked only at a URL by a default server, and answers with the identifiers from there', async () => {
	await deploy({ dialect: 'both', crew: 'reviewed-article' });
	const asked = await ask();
	expect(asked).toMatchObject({ execution_id: asked['kickoff_id'], task_id: textLike(UUID) });
	const id = String(asked['kickoff_id']);
	expect(await statusOf(id)).toMatchObject({ status: 'Pending Human Input' });
	expect(await client.post('/resume', decision(asked))).toMatchObject({ status: 200 });
	expect(await untilState(id, 'SUCCESS')).toMatchObject({ result: textWith('Mention Assam') });
});
