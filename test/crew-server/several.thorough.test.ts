import {
	startCrewServer,
	type CrewDefinition,
	type CrewServer,
	type CrewServerOptions,
} from '../../crew-server/src';
import { startPostgres, type Postgres } from '../../sandbox/src/postgres';
import { FakeProject } from './operator/support/operated';
import { TcpProxy } from './store/support/tcpProxy';
import { Client } from './support/client';
import { until } from './support/until';

let postgres: Postgres;
let deployments = 0;
const servers: CrewServer[] = [];
beforeAll(async () => {
	postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(() => {
	deployments += 1;
});
afterEach(async () => {
	await Promise.all(servers.splice(0).map((server) => server.close()));
});

const crewOf = (...tasks: string[]): CrewDefinition => ({
	name: 'writers',
	inputs: [],
	tasks: tasks.map((name) => ({
		name,
		description: 'Work',
		expectedOutput: 'A text',
		agent: 'Writer',
		output: `${name} is done`,
		humanInput: name === 'ask',
	})),
});
const OLD = crewOf('ask', 'old');
const NEW = crewOf('ask', 'new');

async function deploy(
	options: CrewServerOptions,
	port = postgres.port,
): Promise<{ server: CrewServer; client: Client }> {
	const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
	const database = { url, deployment: `several${deployments}` };
	const server = await startCrewServer({ database, ...options });
	servers.push(server);
	return { server, client: new Client(server) };
}

async function end(server: CrewServer): Promise<void> {
	servers.splice(servers.indexOf(server), 1);
	await server.close();
}

const taskAsked = { task_id: 'ask' };

it('continues an execution on a server with its version of the project', async () => {
	const old = await deploy({ crew: OLD });
	const next = await deploy({ crew: NEW });
	const ids = await Promise.all(Array.from({ length: 5 }, () => old.client.kickoff()));
	const others = await Promise.all(Array.from({ length: 5 }, () => next.client.kickoff()));
	// Any server tells of all, and takes answers for all.
	for (const id of ids) await next.client.untilStatus(id, 'pending_human_input');
	for (const id of others) await old.client.untilStatus(id, 'pending_human_input');
	for (const id of ids) await next.client.resume(id, taskAsked);
	for (const id of others) await old.client.resume(id, taskAsked);
	for (const id of ids) {
		const { result } = await next.client.untilStatus(id, 'completed', 'error');
		expect(result).toMatchObject({ output: 'old is done' });
	}
	for (const id of others) {
		const { result } = await old.client.untilStatus(id, 'completed', 'error');
		expect(result).toMatchObject({ output: 'new is done' });
	}
});

it('continues with another version once no server with its own is left, as after an edit', async () => {
	const old = await deploy({ crew: OLD });
	const asked = await old.client.kickoff();
	await old.client.untilStatus(asked, 'pending_human_input');
	const same = await old.client.kickoff();
	await old.client.untilStatus(same, 'pending_human_input');
	await old.client.post(`/stop/${same}`);
	await old.server.drain(60_000);
	const queued = await old.client.kickoff();
	const next = await deploy({ crew: crewOf('new') });
	// It had not begun, so it runs with the project as it is now.
	expect(await next.client.untilStatus(queued, 'completed', 'error')).toMatchObject({
		result: { output: 'new is done', tasks: [{ task_id: 'new' }] },
	});
	await end(old.server);
	await next.client.resume(asked, taskAsked);
	expect(await next.client.untilStatus(asked, 'completed', 'error')).toMatchObject({
		status: 'error',
		error: expect.stringContaining('The crew no longer has a task old') as string,
	});
});

it('recognizes a kickoff that is repeated at a server whose version of the project reads it differently', async () => {
	const withYear = (type: 'number' | 'string') => ({
		...crewOf('ask'),
		inputs: [{ name: 'year', type, required: true, description: 'When' }],
	});
	const old = await deploy({ crew: withYear('string') });
	const next = await deploy({ crew: withYear('number') });
	const kickoff = async ({ client }: typeof old) => {
		const body = { inputs: { year: '2026' }, taskWebhookUrl: null };
		const answer = await client.post('/kickoff', body, { 'idempotency-key': 'order-7' });
		return [answer.status, answer.body['kickoff_id']];
	};
	const first = await kickoff(old);
	expect(first).toEqual([200, expect.any(String)]);
	expect(await kickoff(next)).toEqual(first);
});

it('continues an execution on the machine with its files, as long as a server is there', async () => {
	const [here, there] = [new FakeProject('child asks'), new FakeProject('child asks')];
	const deployFake = ({ folder, python }: FakeProject) =>
		deploy({ crew: folder, project: { python, parallel: 2 } });
	const first = await deployFake(here);
	const ids = [];
	for (let count = 1; count <= 4; count++) {
		const id = await first.client.kickoff({ inputs: {} });
		await first.client.untilStatus(id, 'pending_human_input');
		ids.push(id);
	}
	const next = await deployFake(there);
	const doneIn = async (id: string) => {
		await next.client.resume(id, { task_id: 'work' });
		const { result } = await next.client.untilStatus(id, 'completed', 'error');
		return (result as { output: string }).output;
	};
	const [last = '', ...others] = ids;
	for (const id of others) expect(await doneIn(id)).toBe(here.folder);
	await end(first.server);
	expect(await doneIn(last)).toBe(there.folder);
});

it('starts an execution at the server that is asked, if that has room', async () => {
	const crew = crewOf('long');
	const slow = { ...crew, tasks: crew.tasks.map((task) => ({ ...task, duration: 60_000 })) };
	const all = await Promise.all([1, 2, 3].map(() => deploy({ crew: slow })));
	const running = async () => {
		const texts = await Promise.all(all.map(({ client }) => client.get('/metrics')));
		return texts.map(({ body }) => Number(/server_running (\d+)/.exec(String(body['text']))?.[1]));
	};
	for (let count = 1; count <= 30; count++) await all[count % 3]!.client.kickoff();
	await until(async () => (await running()).reduce((sum, one) => sum + one, 0) === 30);
	// While one looks for work by itself, another may be faster.
	expect(Math.min(...(await running()))).toBeGreaterThanOrEqual(9);
});

it('creates its tables once if five servers start at the same time', async () => {
	const all = await Promise.all(Array.from({ length: 5 }, () => deploy({ crew: NEW })));
	const [first, ...others] = all.map(({ server }) => server.accessToken);
	expect(others).toEqual([first, first, first, first]);
	const id = await all[0]!.client.kickoff();
	for (const { client } of all) await client.untilStatus(id, 'pending_human_input');
});

it('reports the same metrics about all work at each server', async () => {
	const [one, other] = [await deploy({ crew: NEW }), await deploy({ crew: NEW })];
	const id = await one.client.kickoff();
	await one.client.untilStatus(id, 'pending_human_input');
	const metrics = async ({ client }: typeof one) =>
		(await client.get('/metrics')).body['text'] as string;
	const waits = 'crew_server_executions{state="pending_human_input"} 1\n';
	expect(await metrics(one)).toContain(waits);
	expect(await metrics(other)).toContain(waits);
	await other.client.post(`/stop/${id}`);
	const stopped = (count: number) =>
		`crew_server_executions_ended_total{state="stopped"} ${count}\n`;
	expect(await metrics(one)).toContain(stopped(0));
	expect(await metrics(other)).toContain(stopped(1));
});

it('is not ready while the database is away, refuses kickoffs for a while, and says so', async () => {
	const proxy = new TcpProxy(postgres.port);
	const port = await proxy.listen();
	const { client } = await deploy({ crew: NEW }, port);
	const isUp = async () =>
		/store_up (\d)/.exec((await client.get('/metrics')).body['text'] as string);
	expect([(await client.get('/ready')).status, (await isUp())?.[1]]).toEqual([200, '1']);
	proxy.cut();
	await until(async () => (await client.get('/ready')).status === 503);
	const refused = await client.post('/kickoff', { inputs: {} });
	expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
	expect((await isUp())?.[1]).toBe('0');
	proxy.open();
	await until(async () => (await client.get('/ready')).status === 200);
	await client.untilStatus(await client.kickoff(), 'pending_human_input');
	expect((await isUp())?.[1]).toBe('1');
	await Promise.all(servers.splice(0).map((server) => server.close()));
	await proxy.close();
});
