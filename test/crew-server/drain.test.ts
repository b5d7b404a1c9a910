import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { readCommandLine } from '../../crew-server/src/commandLine';
import { Client } from './support/client';
import { crewOf } from './support/crewOf';
import { until } from './support/until';

let crew: CrewServer | undefined;
afterEach(() => crew?.close());

it('waits no longer than allowed, answers meanwhile, and says that it is not ready', async () => {
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

it('releases an execution when its task ends', async () => {
	crew = await startCrewServer({ crew: crewOf(Array.from({ length: 300 }, () => 200)) });
	await new Client(crew).kickoff();
	await crew.drain(60_000);
	const states = (await crew.executions())[0]?.tasks.map(({ state }) => state) ?? [];
	const completed = states.indexOf('waiting');
	expect(completed).toBeGreaterThan(0);
	expect(states).toEqual(states.map((_, index) => (index < completed ? 'completed' : 'waiting')));
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
