import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { parseFaults } from '../../crew-server/src/simulator/faults/fault';
import { faultySender } from '../../crew-server/src/simulator/faults/faultySender';
import { Client } from './support/client';
import { textWith } from './support/matchers';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

let crew: CrewServer;
let client: Client;
let receiver: Receiver;

beforeAll(async () => {
	crew = await startCrewServer({ delivery: { retryDelay: 10 } });
	client = new Client(crew);
	receiver = await startReceiver();
});
beforeEach(() => {
	crew.setFaults([]);
	receiver.received.length = 0;
});
afterAll(async () => {
	await crew.close();
	await receiver.close();
});

const authorized = (headers: Record<string, string> = {}) => ({
	headers: { authorization: `Bearer ${crew.accessToken}`, ...headers },
});
const plain = (path: string, headers: Record<string, string> = {}) =>
	fetch(crew.url + path, authorized(headers));
const names = () => receiver.received.map(({ body }) => body['name']);

describe('requests', () => {
	it('are refused with 429 as often as planned, with the time to wait, then work', async () => {
		crew.setFaults(['429=7@kickoff*2']);
		const before = crew.started();
		for (const status of [429, 429, 200]) {
			const answer = await client.post('/kickoff', { inputs: { topic: 'T' } });
			expect([answer.status, answer.headers.get('retry-after')]).toEqual([
				status,
				status === 429 ? '7' : null,
			]);
			expect((await client.get('/inputs')).status).toBe(200);
		}
		expect(crew.started() - before).toBe(1);
	});

	it('are refused from a later one on', async () => {
		crew.setFaults(['503@inputs+2*1']);
		for (const status of [200, 200, 503, 200]) {
			expect((await client.get('/inputs')).status).toBe(status);
		}
	});

	it.each([
		['500', 500, 'application/json; charset=utf-8'],
		['502', 502, 'text/html; charset=utf-8'],
		['503', 503, 'text/html; charset=utf-8'],
		['html', 200, 'text/html; charset=utf-8'],
		['html=504', 504, 'text/html; charset=utf-8'],
	])('answer %s by header, on this request alone', async (fault, status, type) => {
		const answer = await client.get('/inputs', { 'x-crew-fault': fault });
		expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
		expect((await client.get('/inputs')).status).toBe(200);
	});

	it('come late, by a fixed or a random time', async () => {
		for (const fault of ['latency=120', 'latency=120..140']) {
			const begin = performance.now();
			await client.get('/inputs', { 'x-crew-fault': fault });
			expect(performance.now() - begin).toBeGreaterThanOrEqual(118);
		}
	});

	it.each([
		['drop-before', 0],
		['drop-after', 1],
	])('lose their connection: %s', async (fault, started) => {
		const before = crew.started();
		crew.setFaults([`${fault}@kickoff*1`]);
		const kickoff = { inputs: { topic: 'T' }, taskWebhookUrl: receiver.url };
		await expect(client.post('/kickoff', kickoff)).rejects.toThrow();
		expect(crew.started() - before).toBe(started);
		expect(crew.requests().at(-1)).toMatchObject({ path: '/kickoff' });
		// A started execution does each task once, even without a connection.
		const tasks = crew.crew.tasks.flatMap(({ name }) => Array<string>(started).fill(name));
		await until(async () => (await crew.executions()).every(({ state }) => state === 'completed'));
		await until(() => names().length >= tasks.length);
		expect(names()).toEqual(tasks);
	});

	it('are answered with half a body', async () => {
		const response = await plain('/inputs', { 'x-crew-fault': 'half-body' });
		expect(Number(response.headers.get('content-length'))).toBeGreaterThan(50);
		await expect(response.text()).rejects.toThrow();
	});

	it('are answered slowly, but completely', async () => {
		const begin = performance.now();
		const response = await plain('/inputs', { 'x-crew-fault': 'slow-body=200' });
		expect(await response.json()).toHaveProperty('inputs');
		expect(performance.now() - begin).toBeGreaterThanOrEqual(180);
	});

	const atOnce = async (count: number) =>
		await Promise.all(
			Array.from({ length: count }, async () => (await client.get('/inputs')).status),
		);

	it.each([
		['429-beyond=3', 429],
		['502-beyond=3', 502],
	])('are refused while too many others are unanswered: %s', async (fault, status) => {
		crew.setFaults([fault, 'latency=100']);
		const answers = await atOnce(5);
		expect(answers.filter((one) => one === 200)).toHaveLength(3);
		expect(answers.filter((one) => one === status)).toHaveLength(2);
		expect(await atOnce(3)).toEqual([200, 200, 200]);
	});

	it('wait while too many others are being handled', async () => {
		crew.setFaults(['at-once=2', 'latency=100']);
		const begin = performance.now();
		expect(await atOnce(6)).toEqual(Array(6).fill(200));
		expect(performance.now() - begin).toBeGreaterThanOrEqual(290);
	});

	it('wait no longer for a request whose client has left while it waited', async () => {
		crew.setFaults(['at-once=1', 'latency=300']);
		const first = plain('/inputs');
		const left = AbortSignal.timeout(100);
		await expect(fetch(`${crew.url}/inputs`, { ...authorized(), signal: left })).rejects.toThrow();
		expect((await first).status).toBe(200);
		expect((await plain('/inputs')).status).toBe(200);
	});

	it('say what is wrong with an invalid fault', async () => {
		expect(await client.get('/inputs', { 'x-crew-fault': 'explode' })).toMatchObject({
			status: 400,
			body: { message: textWith('"explode" is not a fault: give kind') },
		});
	});
});

describe('callbacks', () => {
	const kickoff = (fault: string, target: Record<string, unknown> = {}) =>
		client.kickoff(
			{ taskWebhookUrl: `${receiver.url}/task`, ...target },
			{ 'x-crew-fault': fault },
		);
	const settled = (id: string, count: number) =>
		until(async () => {
			const own = (await crew.callbacks()).filter(({ kickoffId }) => kickoffId === id);
			return own.length === count && own.every(({ fate }) => fate !== 'due');
		});

	it('get lost', async () => {
		const id = await kickoff('callback-lost@task*1');
		await settled(id, 3);
		expect(names()).toEqual(['sort_findings', 'write_report']);
		expect((await crew.callbacks()).find(({ kickoffId }) => kickoffId === id)).toMatchObject({
			fate: 'given_up',
			attempts: [{ problem: 'held back by a fault' }],
		});
	});

	it('come late, while others come in time', async () => {
		const id = await kickoff('callback-late=2000@task*1');
		await settled(id, 3);
		expect(names()).toEqual(['sort_findings', 'write_report', 'find_sources']);
	});

	it('come twice', async () => {
		const id = await kickoff('callback-twice@task*1');
		await settled(id, 4);
		expect(names()).toEqual(['find_sources', 'find_sources', 'sort_findings', 'write_report']);
		expect(receiver.received[0]?.body).toEqual(receiver.received[1]?.body);
	});

	it('come out of order', async () => {
		const id = await kickoff('callback-out-of-order@task*1');
		await settled(id, 3);
		expect(names()).toEqual(['sort_findings', 'find_sources', 'write_report']);
	});

	it('come out of order only if another one follows, and still arrive if not', async () => {
		const id = await kickoff('callback-out-of-order@crew', {
			taskWebhookUrl: undefined,
			crewWebhookUrl: `${receiver.url}/crew`,
		});
		await settled(id, 1);
		expect(receiver.received).toHaveLength(1);
	});

	it('carry a wrong token', async () => {
		const id = await kickoff('callback-wrong-token@stream', {
			webhooks: {
				url: `${receiver.url}/events`,
				events: ['crew_kickoff_completed'],
				authentication: { strategy: 'bearer', token: 'right' },
			},
		});
		await settled(id, 4);
		const stream = receiver.received.find(({ path }) => path === '/events');
		expect(stream?.headers['authorization']).toBe('Bearer wrong-token');
	});
});

describe('work', () => {
	it('never ends, until it is stopped', async () => {
		crew.setFaults(['never-ends@find_sources*1']);
		const stuck = await client.kickoff();
		const other = await client.kickoff();
		await client.untilStatus(other, 'completed');
		expect((await client.get(`/${stuck}/status`)).body).toMatchObject({ status: 'running' });
		expect((await client.post(`/stop/${stuck}`)).status).toBe(200);
	});

	it('fails at a task', async () => {
		const id = await client.kickoff({}, { 'x-crew-fault': 'task-fails@sort_findings' });
		expect(await client.untilStatus(id, 'error')).toMatchObject({
			error: 'The task sort_findings failed because of a planned fault.',
		});
		expect(
			(await crew.executions()).find(({ kickoffId }) => kickoffId === id)?.tasks,
		).toMatchObject([{ state: 'completed' }, { state: 'failed' }, { state: 'waiting' }]);
	});

	it('has an output of 10 MB, which arrives, and one of 100 MB, which is refused', async () => {
		const crewWebhookUrl = `${receiver.url}/crew`;
		const large = await client.kickoff({ crewWebhookUrl }, { 'x-crew-fault': 'output=10MB' });
		const { result } = await client.untilStatus(large, 'completed');
		expect((result as { output: string }).output).toHaveLength(10 * 1024 ** 2);
		await until(() => receiver.received.length === 1);
		expect(receiver.received[0]?.body['result']).toHaveLength(10 * 1024 ** 2);
		const sent = await until(async () => {
			const last = (await crew.callbacks()).at(-1);
			return last?.fate === 'delivered' && last;
		});
		expect(JSON.stringify(sent).length).toBeLessThan(1_000);

		const once = await client.kickoff({}, { 'x-crew-fault': 'output=1KB*1' });
		const { result: last } = await client.untilStatus(once, 'completed');
		expect((last as { output: string }).output).toHaveLength(1024);

		const huge = await client.kickoff({}, { 'x-crew-fault': 'output=100MB' });
		expect(await client.untilStatus(huge, 'error')).toMatchObject({
			error: 'The output of the task has 100 MB, and this deployment accepts at most 16 MB.',
		});
	});
});

it('applies the faults of an answer to what follows it', async () => {
	const reviewed = await startCrewServer({ crew: 'reviewed-article' });
	const other = new Client(reviewed);
	const id = await other.kickoff();
	await other.untilStatus(id, 'pending_human_input');
	const body = { execution_id: id, task_id: 'write_draft', human_feedback: '', is_approve: true };
	await other.post('/resume', body, { 'x-crew-fault': 'task-fails@publish' });
	expect(await other.untilStatus(id, 'error')).toMatchObject({
		error: 'The task publish failed because of a planned fault.',
	});
	await reviewed.close();
});

it('sends a late callback once, even if it is claimed again meanwhile', async () => {
	const posted: string[] = [];
	const send = faultySender(({ id }) => {
		posted.push(id);
		return Promise.resolve({ attempt: { at: 0, status: 200 }, isWorthRepeating: false });
	});
	const url = 'http://here/#callback-late=50';
	const callback = { id: '1', kickoffId: '2', kind: 'crew', url, body: {}, tries: 0 } as const;
	const { signal } = new AbortController();
	await Promise.all([send(callback, signal), send(callback, signal)]);
	expect(posted).toEqual(['1']);
});

it('says how faults are written', () => {
	expect(parseFaults('429=2@kickoff+4*3, output=1KB,latency=1..5')).toEqual([
		{ kind: '429', value: 2, at: 'kickoff', after: 4, times: 3 },
		{ kind: 'output', value: 1024 },
		{ kind: 'latency', value: 1, upTo: 5 },
	]);
	expect(() => parseFaults('latency@here')).toThrow(
		'cannot be limited to "here": give one of inputs, kickoff, status, resume, stop',
	);
	expect(() => parseFaults('callback-late=soon')).toThrow('give it in milliseconds');
	expect(() => parseFaults('500=1')).toThrow('takes no value');
	expect(() => parseFaults('429=1..2')).toThrow('give it in seconds');
});
