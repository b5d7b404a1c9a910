import { randomUUID } from 'node:crypto';

import { startCrewServer, type CrewServer, type CrewServerOptions } from '../../crew-server/src';
import { Client } from './support/client';
import { anyText, textLike, textWith } from './support/matchers';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;

async function deploy(options: CrewServerOptions): Promise<void> {
	crew = await startCrewServer(options);
	client = new Client(crew);
}
afterEach(() => crew.close());

const untilState = (id: string, word: string) =>
	until(async () => {
		const { body } = await client.get(`/status/${id}`);
		return body['state'] === word && body;
	});

describe('queue', () => {
	it('tells states, the last step and the last task, and the result as text', async () => {
		await deploy({ dialect: 'queue', faults: ['never-ends@find_sources*1'] });
		const stuck = await client.kickoff();
		expect((await client.get(`/${stuck}/status`)).status).toBe(404);
		expect((await client.get(`/status/${stuck}`)).body).toEqual({
			state: 'STARTED',
			result: null,
			result_json: null,
			last_step: null,
			last_executed_task: null,
		});
		const id = await client.kickoff();
		expect(await untilState(id, 'RUNNING')).toMatchObject({
			last_step: { thought: anyText },
			last_executed_task: { name: 'find_sources', output: anyText },
		});
		expect(await untilState(id, 'SUCCESS')).toMatchObject({
			result: textLike(/^Tea/),
			result_json: null,
		});
	});

	it('pauses with a word of its own, and retries', async () => {
		await deploy({ dialect: 'queue', crew: 'reviewed-article' });
		const id = await client.kickoff();
		expect(await untilState(id, 'Pending Human Input')).toMatchObject({
			last_executed_task: { task_id: 'write_draft', output: textWith('# Tea') },
		});
		await client.resume(id, { is_approve: false });
		expect((await client.get(`/status/${id}`)).body).toMatchObject({ state: 'RETRY' });
		await client.post(`/stop/${id}`);
		expect((await client.get(`/status/${id}`)).body).toMatchObject({ state: 'REVOKED' });
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
		expect(await untilState(id, 'Awaiting-Human Feedback')).toMatchObject({
			status: 'Awaiting-Human Feedback',
			current_task: 'write_draft',
		});
	});
});
