import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from './support/client';
import { until } from './support/until';

let crew: CrewServer;
afterEach(() => crew.close());

/** The figures of a server by their names, with their labels. */
async function figures(): Promise<Record<string, number>> {
	const { status, body } = await new Client(crew).get('/metrics');
	expect(status).toBe(200);
	const lines = (body['text'] as string).split('\n').filter((line) => /^[a-z]/.test(line));
	const named = lines.map((line) => {
		const [name = '', value = ''] = line.split(' ');
		return [name, Number(value.replace('+Inf', 'Infinity'))] as const;
	});
	return Object.fromEntries<number>(named);
}

it('reports to Prometheus what waits, what runs, and what has ended', async () => {
	crew = await startCrewServer({ crew: 'reviewed-article', faults: ['never-ends@write_draft*1'] });
	const client = new Client(crew);
	await client.kickoff();
	await until(async () => (await crew.executions())[0]?.tasks[0]?.state === 'running');
	const asked = await client.kickoff();
	await client.untilStatus(asked, 'pending_human_input');
	const stopped = await client.kickoff();
	await client.untilStatus(stopped, 'pending_human_input');
	await client.post(`/stop/${stopped}`);
	const told = await figures();
	expect(told).toMatchObject({
		crew_server_store_up: 1,
		'crew_server_executions{state="queued"}': 0,
		'crew_server_executions{state="running"}': 1,
		'crew_server_executions{state="pending_human_input"}': 1,
		'crew_server_executions_ended_total{state="stopped"}': 1,
		'crew_server_executions_ended_total{state="completed"}': 0,
		crew_server_queue_oldest_seconds: 0,
		crew_server_callbacks_due: 0,
		crew_server_running: 1,
		crew_server_takeovers_total: 0,
	});
	// Played executions need no room.
	expect(told['crew_server_free']).toBe(Infinity);
	expect(told['process_resident_memory_bytes']).toBeGreaterThan(0);
	// Nothing is counted twice.
	expect((await figures())['crew_server_executions_ended_total{state="stopped"}']).toBe(1);
});

it('answers in Prometheus’s format, to clients with the access token', async () => {
	crew = await startCrewServer();
	const { headers } = await new Client(crew).get('/metrics');
	expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
	expect(await new Client(crew, crew.userAccessToken).get('/metrics')).toMatchObject({
		status: 403,
		body: { message: expect.stringContaining('access token') as string },
	});
	expect((await fetch(`${crew.url}/metrics`)).status).toBe(401);
});
