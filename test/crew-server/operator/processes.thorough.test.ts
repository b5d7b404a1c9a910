import { FakeProject, folders, operate, Operated, TOKEN } from './support/operated';
import type { Client } from '../support/client';
import { until } from '../support/until';

/** Processes that end, hang or misbehave, from an operator's point of view. */

const LONG = 60_000;
const isAlive = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

it('logs the death of a host with its reason, and starts new ones one at a time, with pauses', async () => {
	const project = new FakeProject();
	const { server, client } = await operate([...project.args, '--no-data']);
	project.behave('dies');
	const [first] = project.starts;
	process.kill(first!.pid, 'SIGKILL');
	await until(() => server.told('host_ended')[1], LONG);
	expect(server.told('host_ended')).toMatchObject([
		{ level: 'error', signal: 'SIGKILL' },
		{ level: 'error', exit_code: 7, text: 'MemoryError: the model did not fit' },
	]);
	await until(() => project.starts.length >= 4, LONG);
	const times = project.starts.map(({ at }) => at);
	const pauses = times.slice(1).map((at, index) => at - times[index]!);
	expect(pauses[2]).toBeGreaterThan(3_000);
	// Everything works again once a host stays alive.
	project.behave();
	const id = await until(async () => {
		const { status, body } = await client.post('/kickoff', { inputs: {} });
		return status === 200 && String(body['kickoff_id']);
	}, LONG);
	await until(async () => (await client.get(`/${id}/status`)).body['status'] === 'completed', LONG);
});

it('reports a broken project in /health and at kickoffs, and later continues waiting executions', async () => {
	const project = new FakeProject('child works');
	const { server, client } = await operate([...project.args, '--no-data']);
	const id = await client.kickoff({ inputs: {} });
	await until(() => server.told('task_started')[0]);
	project.behave('refuses');
	process.kill(project.starts[0]!.pid, 'SIGKILL');
	await until(async () => (await client.get('/health')).status === 503);
	expect((await client.get('/health')).body).toEqual({
		status: 'unhealthy',
		reason: 'There is a mistake in crew.py.',
	});
	const refused = await client.post('/kickoff', { inputs: {} });
	expect(refused.status).toBe(503);
	expect(refused.headers.get('retry-after')).not.toBeNull();
	expect(server.told('host_not_started')).not.toEqual([]);
	project.behave();
	await client.untilStatus(id, 'completed');
	expect((await client.get('/health')).status).toBe(200);
});

it.each(['ask', 'fail'] as const)(
	'treats a task whose host has died as on_interrupt says: %s',
	async (word) => {
		const project = new FakeProject('child works', `on_interrupt ${word}`);
		const { server, client } = await operate([...project.args, '--no-data']);
		const id = await client.kickoff({ inputs: {} });
		await until(() => server.told('task_started')[0]);
		project.behave();
		process.kill(project.starts[0]!.pid, 'SIGKILL');
		if (word === 'ask') {
			await client.untilStatus(id, 'pending_human_input');
			expect(server.told('task_started')).toHaveLength(1);
			await client.resume(id, { task_id: 'work' });
		}
		await client.untilStatus(id, word === 'ask' ? 'completed' : 'error');
		expect(server.told('task_started')).toHaveLength(word === 'ask' ? 2 : 1);
	},
);

it('lets waiting executions be stopped while its host cannot start, and shuts down', async () => {
	const project = new FakeProject();
	const { server, client } = await operate([...project.args, '--no-data']);
	project.behave('imports');
	process.kill(project.starts[0]!.pid, 'SIGKILL');
	await until(() => project.starts[1], LONG);
	const id = await client.kickoff({ inputs: {} });
	expect(await client.post(`/stop/${id}`)).toMatchObject({ status: 200 });
	expect(await server.end()).toBe(0);
	await until(() => !isAlive(project.starts[1]!.pid));
});

it('says at which line an import hangs', async () => {
	const project = new FakeProject('imports');
	const args = ['--port', '0', '--token', TOKEN, '--log', 'json', ...project.args, '--no-data'];
	const server = new Operated(args);
	const told = await until(() =>
		server.told('still_importing').find(({ at }) => String(at).includes('crew.py')),
	);
	expect(told).toMatchObject({ level: 'warn' });
	expect(told['at']).toContain('line 7');
	server.kill('SIGTERM');
	await server.ended;
	await until(() => !isAlive(project.starts[0]!.pid));
});

it('replaces a host that gives no sign of life, and continues', async () => {
	const project = new FakeProject('child works');
	const { server, client } = await operate([...project.args, '--no-data']);
	const id = await client.kickoff({ inputs: {} });
	await until(() => server.told('task_started')[0]);
	project.behave();
	process.kill(project.starts[0]!.pid, 'SIGSTOP');
	await until(() => server.told('host_hangs')[0], LONG);
	await client.untilStatus(id, 'running', 'completed');
	await until(async () => (await client.get(`/${id}/status`)).body['status'] === 'completed', LONG);
	expect(isAlive(project.starts[0]!.pid)).toBe(false);
});

it('shuts down within 5 seconds, even if its host hangs, and leaves no process behind', async () => {
	const project = new FakeProject('child works');
	const { server, client } = await operate([...project.args, '--no-data']);
	await client.kickoff({ inputs: {} });
	await until(() => server.told('task_started')[0]);
	// Another one is about to start.
	await client.kickoff({ inputs: {} });
	project.behave('hangs');
	process.kill(project.starts[0]!.pid, 'SIGSTOP');
	const before = Date.now();
	expect(await server.end()).toBe(0);
	expect(Date.now() - before).toBeLessThan(5_000);
	await until(() => !isAlive(project.starts[0]!.pid));
});

it('fails an execution whose process closes its connection but stays alive', async () => {
	const project = new FakeProject('child closes');
	const { client } = await operate([...project.args, '--no-data']);
	const id = await client.kickoff({ inputs: {} });
	const { error } = await client.untilStatus(id, 'error');
	expect(error).toContain('It closed its connection to the crew server.');
});

it('names the signal that killed a process, even with unread messages', async () => {
	const project = new FakeProject('child is killed');
	const { client } = await operate([...project.args, '--no-data']);
	const id = await client.kickoff({ inputs: {} });
	const { error } = await client.untilStatus(id, 'error');
	expect(error).toContain('ended by itself by SIGKILL');
});

const kickOff = async (client: Client, count: number) =>
	await Promise.all(Array.from({ length: count }, () => client.post('/kickoff', { inputs: {} })));

it('accepts as many executions as may wait, and refuses others for now', async () => {
	const project = new FakeProject('child works');
	const args = [...project.args, '--no-data', '--parallel', '1', '--queue', '50'];
	const { server, client } = await operate(args);
	await client.kickoff({ inputs: {} });
	await until(() => server.told('task_started')[0]);
	const answers = await kickOff(client, 60);
	const refused = answers.filter(({ status }) => status === 503);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
	expect(refused).toHaveLength(10);
	expect(refused[0]?.headers.get('retry-after')).not.toBeNull();
});

it(
	'starts and shuts down within 5 seconds with a full queue of the default length',
	async () => {
		const project = new FakeProject('child works');
		const args = [...project.args, '--data', folders.make(), '--parallel', '1'];
		const { server, client } = await operate(args);
		const first = await client.kickoff({ inputs: {} });
		await until(() => server.told('task_started')[0]);
		const answers = await kickOff(client, 1_010);
		expect(answers.filter(({ status }) => status === 503)).toHaveLength(10);
		const ending = performance.now();
		expect(await server.end()).toBe(0);
		const starting = performance.now();
		const again = await operate(args);
		const started = performance.now();
		expect(starting - ending).toBeLessThan(5_000);
		expect(started - starting).toBeLessThan(5_000);
		project.behave();
		await again.client.untilStatus(first, 'completed');
		expect((await again.client.post('/kickoff', { inputs: {} })).status).toBe(200);
	},
	LONG,
);

it('continues if nobody reads its output any more', async () => {
	const { server, client } = await operate(['--no-data']);
	server.stopReading();
	const ids = await Promise.all(Array.from({ length: 5 }, () => client.kickoff()));
	for (const id of ids) await client.untilStatus(id, 'completed');
	expect((await client.get('/health')).status).toBe(200);
	expect(await server.end()).toBe(0);
});

it('continues after a hangup without a terminal, as with nohup', async () => {
	const { server, client } = await operate(['--no-data']);
	server.kill('SIGHUP');
	await until(() => server.told('ignored_hangup')[0]);
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	expect(await server.end()).toBe(0);
});

it('refuses a data folder that it cannot create', async () => {
	const server = new Operated(['--port', '0', '--token', TOKEN, '--data', '/proc/x']);
	expect(await server.ended).toBe(1);
	expect(server.output).toContain('/proc/x');
});
