import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { readCommandLine } from '../../crew-server/src/commandLine';
import { Client } from './support/client';
import { crewOf } from './support/crewOf';
import { until } from './support/until';

let crew: CrewServer | undefined;
afterEach(() => crew?.close());

it('waits no longer than it may, answers meanwhile, and says that it is not ready', async () => {
	crew = await startCrewServer({ faults: ['never-ends@find_sources*1'] });
	const client = new Client(crew);
	expect(await client.get('/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
	const id = await client.kickoff();
	await until(async () => {
		const [execution] = (await crew?.executions()) ?? [];
		return execution?.tasks.some(({ state }) => state === 'running');
	});
	const begun = performance.now();
	await crew.drain(100);
	expect(performance.now() - begun).toBeGreaterThanOrEqual(95);
	expect(await client.get('/ready')).toMatchObject({
		status: 503,
		body: { status: 'not ready', reason: 'The server is shutting down' },
	});
	expect((await client.get('/health')).status).toBe(200);
	expect((await client.get(`/${id}/status`)).body).toMatchObject({ status: 'running' });
	const later = await client.kickoff();
	expect((await client.get(`/${later}/status`)).status).toBe(200);
});

it('lets go of an execution with the task that ends', async () => {
	crew = await startCrewServer({ crew: crewOf([200, 600_000]) });
	await new Client(crew).kickoff();
	await crew.drain(60_000);
	const [execution] = await crew.executions();
	expect(execution?.tasks.map(({ state }) => state)).toEqual(['completed', 'waiting']);
});

it('has nothing to wait for without work', async () => {
	crew = await startCrewServer({});
	await crew.drain(60_000);
	expect((await new Client(crew).get('/ready')).status).toBe(503);
});

it('takes minutes on the command line, and none by default', () => {
	const drainOf = (...args: string[]) => {
		const choice = readCommandLine(args);
		return 'start' in choice ? choice.start.drain : undefined;
	};
	expect([drainOf(), drainOf('--drain', '1.5')]).toEqual([0, 90_000]);
	expect(() => drainOf('--drain', 'soon')).toThrow('--drain cannot be "soon"');
});
