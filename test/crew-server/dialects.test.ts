import { randomUUID } from 'node:crypto';

import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import { Client } from './support/client';
import { anyText, having, textWith } from './support/matchers';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;

async function deploy(options: CrewServerOptions): Promise<void> {
	crew = await startCrewServer(options);
	client = new Client(crew);
}
afterEach(() => crew.close());

const statusOf = async (id: string) => (await client.get(`/status/${id}`)).body;
const untilState = (id: string, word: string) =>
	until(async () => {
		const body = await statusOf(id);
		return body['state'] === word && body;
	});

const nothing = { status: null, result: null, result_json: null, error: null };

describe('both, by default', () => {
	it('uses each status path’s own dialect, for the same execution', async () => {
		await deploy({ crew: 'reviewed-article' });
		const id = await client.kickoff();
		const asked = await client.untilStatus(id, 'pending_human_input');
		expect(asked).not.toHaveProperty('state');
		expect(await statusOf(id)).toMatchObject({
			...nothing,
			state: 'RUNNING',
			status: 'Pending Human Input',
			question_id: '1',
			last_executed_task: { task_id: 'write_draft', output: textWith('# Tea') },
		});
		await client.resume(id);
		const done = await client.untilStatus(id, 'completed');
		const { output } = done['result'] as { output: string };
		expect(await statusOf(id)).toMatchObject({ ...nothing, state: 'SUCCESS', result: output });
	});

	it('shows a user token what was started with it, at both', async () => {
		await deploy({});
		const id = await client.kickoff();
		const user = new Client(crew, crew.userAccessToken);
		expect((await user.get(`/status/${id}`)).status).toBe(404);
		expect((await user.get(`/${id}/status`)).status).toBe(404);
		const own = await user.kickoff();
		expect((await user.get(`/status/${own}`)).status).toBe(200);
	});
});

describe('queue', () => {
	it('reports states, the last step and the last task, and the result as text', async () => {
		await deploy({ dialect: 'queue', faults: ['never-ends@find_sources*1'] });
		const stuck = await client.kickoff();
		expect((await client.get(`/${stuck}/status`)).status).toBe(404);
		expect(await statusOf(stuck)).toEqual({
			...nothing,
			state: 'STARTED',
			question_id: null,
			usage_metrics: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
			progress: having({ unit: 'task', completed: 0, total: 3, current: 'find_sources' }),
			last_step: null,
			last_executed_task: null,
		});
		const id = await client.kickoff();
		expect(await untilState(id, 'RUNNING')).toMatchObject({
			...nothing,
			last_step: { thought: anyText },
			last_executed_task: { name: 'find_sources', output: anyText },
		});
		expect(await untilState(id, 'SUCCESS')).toMatchObject({
			result: textWith('Tea'),
			result_json: null,
		});
	});

	it('reports a JSON result also as an object', async () => {
		const crewOfOne = {
			name: 'weather',
			inputs: [],
			tasks: [
				{
					name: 'measure',
					description: 'Measure',
					expectedOutput: 'JSON',
					agent: 'Reader',
					output: '{"degrees": 7}',
				},
			],
		};
		await deploy({ dialect: 'queue', crew: crewOfOne });
		expect(await untilState(await client.kickoff(), 'SUCCESS')).toMatchObject({
			result: '{"degrees": 7}',
			result_json: { degrees: 7 },
		});
	});

	it('uses only words that its clients know: asked, retried, failed, stopped', async () => {
		await deploy({ dialect: 'queue', crew: 'reviewed-article' });
		const id = await client.kickoff();
		const asked = await until(async () => {
			const body = await statusOf(id);
			return body['status'] !== null && body;
		});
		expect(asked).toMatchObject({ state: 'RUNNING', status: 'Pending Human Input', error: null });
		await client.resume(id, { is_approve: false });
		// It is pending until a worker has claimed it.
		expect(await untilState(id, 'RUNNING')).toMatchObject(nothing);
		await client.post(`/stop/${id}`);
		expect(await statusOf(id)).toMatchObject({ ...nothing, state: 'REVOKED' });
		const failing = await client.kickoff({}, { 'x-crew-fault': 'task-fails@write_draft' });
		const failed = await untilState(failing, 'FAILED');
		expect(failed).toMatchObject({ result: null, error: textWith('write_draft') });
		expect(failed['status']).toBe(failed['error']);
	});

	it('refuses as frameworks do', async () => {
		await deploy({ dialect: 'queue' });
		expect((await client.get('/inputs')).body).toEqual({ inputs: ['topic', 'year'] });
		expect(await client.post('/kickoff', {})).toMatchObject({
			status: 422,
			body: {
				detail: [{ loc: ['body', 'inputs', 'topic'], msg: 'Field required', type: 'missing' }],
			},
		});
		expect(await client.post('/kickoff', { inputs: { topic: 1 } })).toMatchObject({
			status: 422,
			body: { detail: [{ loc: ['body', 'inputs', 'topic'], msg: 'must be string' }] },
		});
		expect(await client.get(`/status/${randomUUID()}`)).toMatchObject({
			status: 404,
			body: { detail: 'Execution not found' },
		});
		expect(await client.get('/inputs', { authorization: '' })).toMatchObject({
			status: 401,
			body: { detail: 'Invalid Bearer token' },
		});
		expect(await client.resume('x')).toMatchObject({
			status: 422,
			body: { detail: [{ loc: ['body', 'execution_id'] }] },
		});
	});
});

describe('aspects', () => {
	it.each([
		[{ inputsShape: 'names', inputsWrapper: 'none' }, ['topic', 'year']],
		[{ inputsShape: 'types' }, { inputs: { topic: 'string', year: 'integer' } }],
		[
			{ inputsShape: 'types', inputsWrapper: 'none' },
			{ topic: 'string', year: 'integer' },
		],
		[{ inputsShape: 'objects', inputsWrapper: 'none' }, [{ name: 'topic' }, { name: 'year' }]],
	] as const)('shape the inputs: %j', async (aspects, expected) => {
		await deploy({ aspects });
		expect((await client.get('/inputs')).body).toMatchObject(expected);
	});

	it('mix the dialects one by one', async () => {
		await deploy({
			crew: 'reviewed-article',
			aspects: {
				statusPath: 'status-first',
				statusBody: 'both',
				errorBody: 'framework',
				kickoffIdField: 'id',
				kickoffStatus: 202,
				pauseWord: 'Awaiting-Human Feedback',
			},
		});
		expect(await client.post('/kickoff', {})).toMatchObject({ body: { detail: [{}] } });
		const { status, body } = await client.post('/kickoff', { inputs: { topic: 'T' } });
		expect([status, Object.keys(body)]).toEqual([202, ['id']]);
		const id = String(body['id']);
		const asked = await until(async () => {
			const answer = await statusOf(id);
			return answer['status'] === 'Awaiting-Human Feedback' && answer;
		});
		expect(asked).toMatchObject({ state: 'RUNNING', current_task: 'write_draft' });
	});
});
