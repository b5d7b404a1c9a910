import { randomUUID } from 'node:crypto';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { anyNumber, anyText, having, textLike, textWith } from './support/matchers';

let crew: CrewServer;
let client: Client;

beforeAll(async () => {
	crew = await startCrewServer();
	client = new Client(crew);
});
afterAll(() => crew.close());

describe('inputs', () => {
	it('lists names, types, and what is required', async () => {
		const { status, body } = await client.get('/inputs');
		expect(status).toBe(200);
		expect(body).toEqual({
			inputs: [
				having({ name: 'topic', type: 'string', required: true }),
				having({ name: 'year', type: 'integer', required: false }),
			],
		});
	});
});

describe('kickoff and status', () => {
	it('starts an execution that runs, then completes with the final output and all tasks', async () => {
		const { status, body } = await client.post('/kickoff', {
			inputs: { topic: 'Tea', year: 2026 },
		});
		expect(status).toBe(200);
		expect(body).toEqual({ kickoff_id: textLike(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/) });
		const id = String(body['kickoff_id']);
		expect((await client.get(`/${id}/status`)).body).toEqual({
			status: 'running',
			current_task: anyText,
			progress: { completed_tasks: anyNumber, total_tasks: 3 },
		});
		const done = await client.untilStatus(id, 'completed');
		expect(done).toEqual({
			status: 'completed',
			result: {
				output: textLike(/^Interest in Tea is growing/),
				tasks: ['find_sources', 'sort_findings', 'write_report'].map((task_id) => ({
					task_id,
					output: textWith('Tea'),
					agent: anyText,
					execution_time: anyNumber,
				})),
			},
			execution_time: anyNumber,
		});
		expect((await crew.executions()).map(({ kickoffId }) => kickoffId)).toContain(id);
	});

	it('reports no negative time if the clock was set back meanwhile', async () => {
		const id = await client.kickoff();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
		const { execution_time } = await client.untilStatus(id, 'completed').finally(() => {
			clock.mockRestore();
		});
		expect(execution_time).toBe(0);
	});

	it.each([
		['2026', 2026],
		[' -2.5e1 ', -25],
		[2026, 2026],
	])('accepts a number as text for a numeric input: %j', async (year, expected) => {
		const id = await client.kickoff({ inputs: { topic: 'Tea', year } });
		const { inputs } = (await crew.executions()).find(({ kickoffId }) => kickoffId === id)!;
		expect(inputs).toEqual({ topic: 'Tea', year: expected });
	});

	it.each([
		['a required input is missing', {}, 422, { missing_inputs: ['topic'] }],
		['inputs is no object', { inputs: ['Tea'] }, 400, { invalid_fields: [{ field: 'inputs' }] }],
		['an input has another type', { inputs: { topic: 1 } }, 400, { invalid_fields: [{}] }],
		['a text is where a number belongs', { inputs: { topic: 'T', year: 'soon' } }, 400, {}],
		[
			'a fraction is where a whole number belongs',
			{ inputs: { topic: 'T', year: '1.5' } },
			400,
			{},
		],
		['meta is no object', { inputs: { topic: 'T' }, meta: 'm' }, 400, {}],
		['a callback is no URL', { inputs: { topic: 'T' }, taskWebhookUrl: 'here' }, 400, {}],
		['a callback is not http', { inputs: { topic: 'T' }, crewWebhookUrl: 'ftp://h/' }, 400, {}],
		[
			'a bearer has no token',
			{
				inputs: { topic: 'T' },
				humanInputWebhook: { url: 'http://h', authentication: { strategy: 'bearer' } },
			},
			422,
			{ missing_fields: ['humanInputWebhook.authentication.token'] },
		],
		['the body is no object', '[]', 400, {}],
		['the body is not JSON', '{', 400, undefined],
		['the body is empty', '', 400, {}],
	])('refuses a kickoff if %s', async (_case, body, status, details) => {
		const before = (await crew.executions()).length;
		const answer = await client.post('/kickoff', body);
		expect(answer.status).toBe(status);
		expect(answer.body).toMatchObject({
			error: status === 422 ? 'Validation Error' : 'Bad Request',
			message: anyText,
			...(details === undefined ? {} : { details }),
		});
		expect(await crew.executions()).toHaveLength(before);
	});

	it('refuses a body whose type is not JSON', async () => {
		const answer = await client.post('/kickoff', 'topic', { 'content-type': 'text/plain' });
		expect(answer).toMatchObject({
			status: 400,
			body: { message: textWith('JSON') },
		});
	});

	it('refuses a body that is too large', async () => {
		const answer = await client.post('/kickoff', { inputs: { topic: 'x'.repeat(6 * 1024 ** 2) } });
		expect(answer).toMatchObject({ status: 413, body: { error: 'Payload Too Large' } });
	});

	it('distinguishes an unknown execution and an invalid identifier', async () => {
		expect(await client.get(`/${randomUUID()}/status`)).toMatchObject({
			status: 404,
			body: { error: 'Not Found', message: 'Execution not found' },
		});
		expect(await client.get('/none/status')).toMatchObject({
			status: 400,
			body: { error: 'Bad Request', details: { invalid_fields: [{ field: 'kickoff_id' }] } },
		});
	});

	it('refuses a path that cannot be read', async () => {
		const answer = await client.get('/%zz/status');
		expect(answer).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
	});

	it('answers 404 on unknown paths', async () => {
		expect(await client.get(`/status/${randomUUID()}`)).toMatchObject({ status: 404 });
		expect(await client.post('/inputs', {})).toMatchObject({ status: 404 });
	});
});

describe('stop', () => {
	it('ends what is running, once', async () => {
		const id = await client.kickoff();
		expect(await client.post(`/stop/${id}`)).toMatchObject({
			status: 200,
			body: { status: 'stopped', kickoffId: id },
		});
		expect((await client.get(`/${id}/status`)).body).toMatchObject({ status: 'stopped' });
		expect(await client.post(`/stop/${id}`, '')).toMatchObject({
			status: 400,
			body: { detail: 'Cannot stop execution. Current state: REVOKED' },
		});
		expect(await client.post(`/stop/${randomUUID()}`)).toMatchObject({ status: 404 });
	});
});

describe('tokens', () => {
	it.each([
		['no token', ''],
		['another token', 'Bearer other'],
		['another scheme', 'Basic dTpw'],
	])('refuses %s', async (_case, authorization) => {
		const answer = await client.get('/inputs', { authorization });
		expect(answer).toMatchObject({
			status: 401,
			body: { error: 'Unauthorized', message: 'Invalid Bearer token' },
		});
		expect(answer.headers.get('www-authenticate')).toBe('Bearer');
	});

	it('checks the token before it looks at the body', async () => {
		const answer = await client.post('/kickoff', '{', { authorization: '' });
		expect(answer.status).toBe(401);
	});

	it('shows a user token what was started with it, and nothing else', async () => {
		const user = new Client(crew, crew.userAccessToken);
		expect((await user.get('/inputs')).status).toBe(200);
		const own = await user.kickoff({}, { 'x-crew-fault': 'never-ends' });
		const foreign = await client.kickoff();
		expect((await user.get(`/${own}/status`)).status).toBe(200);
		expect((await client.get(`/${own}/status`)).status).toBe(200);
		expect((await user.get(`/${foreign}/status`)).status).toBe(404);
		expect((await user.post(`/stop/${foreign}`)).status).toBe(404);
		expect((await user.resume(foreign)).status).toBe(404);
		expect((await user.post(`/stop/${own}`)).status).toBe(200);
	});
});

it('says that it is healthy to anyone who asks', async () => {
	const response = await fetch(crew.url);
	expect([response.status, await response.text()]).toEqual([200, 'Healthy']);
});

it('remembers each request with its answer, and never its token', async () => {
	await client.post('/kickoff', { inputs: {} });
	const last = crew.requests().at(-1);
	expect(last).toMatchObject({
		method: 'POST',
		path: '/kickoff',
		body: { inputs: {} },
		status: 422,
	});
	expect(last?.answer).toContain('missing_inputs');
	expect(JSON.stringify(crew.requests())).not.toContain(crew.accessToken);
	// Load balancers ask these every other second.
	for (const probe of ['/health', '/ready']) await client.get(probe);
	expect(crew.requests().at(-1)).toEqual(last);
});
