import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startReceiver } from '../support/receiver';
import { until } from '../support/until';
import {
	crewFile,
	FakeProject,
	folders,
	operate,
	Operated,
	TOKEN,
	withPreload,
} from './support/operated';

/** An operator's first questions: what is kept, what is logged, and what one execution may use. */

it('deletes everything about an ended execution, and refuses that for a running one', async () => {
	const data = folders.make();
	const receiver = await startReceiver(() => 'hang');
	const { server, client } = await operate([
		'--data',
		data,
		'--fault',
		'never-ends@find_sources+1*1',
	]);
	const id = await client.kickoff({
		inputs: { topic: 'A very secret topic' },
		crewWebhookUrl: receiver.url,
	});
	await client.untilStatus(id, 'completed');
	const running = await client.kickoff();
	expect(await client.delete(`/${running}`)).toMatchObject({ status: 409 });
	expect(await client.delete(`/${id}`)).toMatchObject({ status: 200, body: { kickoffId: id } });
	expect((await client.get(`/${id}/status`)).status).toBe(404);
	expect((await client.get(`/${id}/events`)).status).toBe(404);
	expect(await client.delete(`/${id}`)).toMatchObject({ status: 404 });
	await server.end();
	await receiver.close();
	expect(readFileSync(join(data, 'executions.db')).includes('very secret topic')).toBe(false);
	const again = await operate(['--data', data]);
	expect((await again.client.get(`/${id}/status`)).status).toBe(404);
	expect((await again.client.get(`/${running}/status`)).status).toBe(200);
});

it('keeps ended executions for as long as --keep says', async () => {
	const data = folders.make();
	const args = [crewFile('duration: 0'), '--data', data, '--keep', '1h'];
	const first = await operate(args);
	const id = await first.client.kickoff({ meta: { text: 'A very secret topic' } });
	await first.client.untilStatus(id, 'completed');
	await first.server.end();
	const minutesLater = (minutes: number) => operate(args, withPreload({ shift: minutes * 60_000 }));
	const second = await minutesLater(59);
	const other = await second.client.kickoff();
	await second.client.untilStatus(other, 'completed');
	expect((await second.client.get(`/${id}/status`)).status).toBe(200);
	await second.server.end();
	const third = await minutesLater(61);
	await until(async () => (await third.client.get(`/${id}/status`)).status === 404);
	expect((await third.client.get(`/${other}/status`)).status).toBe(200);
	await third.server.end();
	expect(readFileSync(join(data, 'executions.db')).includes('very secret topic')).toBe(false);
});

it('reads its tokens from variables', async () => {
	const tokens = {
		CREW_SERVER_TOKEN: 'token-of-a-variable',
		CREW_SERVER_USER_TOKEN: 'another-token',
	};
	const server = new Operated(['--port', '0', '--no-data', '--log', 'json'], tokens);
	const url = await server.said(/"url":"([^"]+)"/);
	for (const token of Object.values(tokens)) {
		const headers = { authorization: `Bearer ${token}` };
		expect((await fetch(`${url}/inputs`, { headers })).status).toBe(200);
	}
	expect((await fetch(`${url}/inputs`, { headers: { authorization: 'Bearer x' } })).status).toBe(
		401,
	);
	expect(server.output).not.toContain('token-of-a-variable');
});

it('gives each answer an identifier that is also in the log', async () => {
	const { server, url } = await operate(['--no-data', '--log-level', 'debug']);
	const authorization = `Bearer ${TOKEN}`;
	for (const path of ['/inputs', '/none', '/health', '/x/status', '/%/status', '/page/crew', '/']) {
		const { headers, status } = await fetch(url + path, { headers: { authorization } });
		const id = headers.get('x-request-id');
		expect(id).toMatch(/^[0-9a-f-]{36}$/);
		await until(() => server.output.includes(`"request_id":"${id}"`));
		expect(server.output).toContain(`"status":${status}`);
	}
});

it('has dates in its log', async () => {
	const server = new Operated(['--port', '0', '--token', TOKEN, '--no-data']);
	await server.said(/URL +(\S+)/);
	server.kill('SIGTERM');
	await server.ended;
	expect(server.output).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ info {2}ending/m);
});

it.each([
	['child spends', '--max-tokens', '1000', /It used 1200 tokens, and --max-tokens allows 1000/],
	['child grows', '--memory-limit', '200', /use \d{3} MB, and --memory-limit allows 200/],
])('ends an execution if its %s more than %s allows', async (behavior, option, value, message) => {
	const project = new FakeProject(behavior);
	const { client } = await operate([...project.args, '--no-data', option, value]);
	const id = await client.kickoff({ inputs: {} });
	const { error } = await client.untilStatus(id, 'error');
	expect(error).toMatch(message);
	const within = await operate([...project.args, '--no-data', option, '100000']);
	const other = await within.client.kickoff({ inputs: {} });
	await within.client.untilStatus(other, 'running');
});
