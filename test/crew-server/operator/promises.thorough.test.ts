import { randomBytes } from 'node:crypto';
import { openSync, readdirSync, readFileSync, statSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';

import { limitFiles } from '../support/limitFiles';
import { onLinux } from '../support/onLinux';
import { startReceiver } from '../support/receiver';
import { until } from '../support/until';
import { crewFile, folders, operate, TOKEN, type Operated } from './support/operated';

/** What was promised is kept, and told. */

const rejection = (kickoffId: string, feedback: string) => ({
	execution_id: kickoffId,
	task_id: 'write_draft',
	human_feedback: feedback,
	is_approve: false,
});

it('takes one of two answers to a question, and never the other one for the next question', async () => {
	const receiver = await startReceiver();
	const { client } = await operate(['reviewed-article', '--no-data']);
	const humanInputWebhook = { url: receiver.url };
	const id = await client.kickoff({ humanInputWebhook });
	await until(() => receiver.received.length === 1);
	const question_id = receiver.received[0]!.body['question_id'];
	const answers = await Promise.all(
		['Shorter', 'Longer'].map((text) =>
			client.post('/resume', { ...rejection(id, text), question_id, humanInputWebhook }),
		),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
	await until(() => receiver.received.length === 2);
	const late = await client.post('/resume', { ...rejection(id, 'Longer'), question_id });
	expect(late.status).toBe(400);
	expect((await client.get(`/${id}/status`)).body).toMatchObject({
		status: 'pending_human_input',
		question_id: receiver.received[1]!.body['question_id'],
	});
	await receiver.close();
});

it('tells a stop to readers of events, and to webhooks', async () => {
	const receiver = await startReceiver();
	const { client, url } = await operate(['reviewed-article', '--no-data']);
	const webhooks = { url: receiver.url, events: ['crew_kickoff_stopped'], realtime: true };
	const id = await client.kickoff({ webhooks });
	await client.untilStatus(id, 'pending_human_input');
	const headers = { authorization: `Bearer ${TOKEN}` };
	const events = fetch(`${url}/${id}/events`, { headers }).then((response) => response.text());
	await client.post(`/stop/${id}`);
	expect(await events).toContain('event: crew_kickoff_stopped');
	await until(() => receiver.received.length === 1);
	await receiver.close();
});

it('obeys no fault without a token, and takes no query for a path', async () => {
	const { url } = await operate(['--no-data']);
	const headers = { 'x-crew-fault': 'status=503' };
	expect((await fetch(`${url}/inputs`, { headers })).status).toBe(401);
	const authorization = `Bearer ${TOKEN}`;
	const answer = await fetch(`${url}/inputs?x=/health`, { headers: { authorization } });
	expect(await answer.json()).toHaveProperty('inputs');
});

it('starts with data of which a part is damaged, or says why it cannot, and never loses it in silence', async () => {
	const data = folders.make();
	const { server, client } = await operate(['--data', data]);
	const ids = await Promise.all(Array.from({ length: 30 }, () => client.kickoff()));
	for (const id of ids) await client.untilStatus(id, 'completed');
	await server.end();
	const files = readdirSync(data).map((name) => join(data, name));
	const [largest] = files
		.filter((file) => statSync(file).isFile())
		.sort((one, other) => statSync(other).size - statSync(one).size);
	const file = openSync(largest!, 'r+');
	writeSync(
		file,
		randomBytes(4_096),
		0,
		4_096,
		Math.floor(statSync(largest!).size / 2 / 4_096) * 4_096,
	);
	closeSync(file);
	const again = await operate(['--data', data]).catch((error: unknown) => String(error));
	if (typeof again === 'string') {
		expect(again).toContain(data);
		return;
	}
	const answers = await Promise.all(ids.map((id) => again.client.get(`/${id}/status`)));
	const lost = answers.filter(({ status }) => status !== 200);
	const { status } = await again.client.get('/health');
	const isTold = status !== 200 || /"level":"(warn|error)"/.test(again.server.output);
	expect(lost.length === 0 || isTold).toBe(true);
});

const MEGABYTE = 1024 ** 2;

onLinux('keeps what it has promised after a moment of a full disk', async () => {
	const args = [crewFile('duration: 0'), '--data', folders.make()];
	const { server, client } = await operate(args);
	await client.untilStatus(await client.kickoff(), 'completed');
	limitFiles(server.pid, 1);
	await until(async () => (await client.post('/kickoff', {})).status >= 500);
	limitFiles(server.pid, 'unlimited');
	await until(async () => (await client.post('/kickoff', {})).status === 200);
	const ids = await Promise.all(Array.from({ length: 30 }, () => client.kickoff()));
	for (const id of ids) await client.untilStatus(id, 'completed');
	await server.end();
	const again = await operate(args);
	const statuses = ids.map(async (id) => (await again.client.get(`/${id}/status`)).body['status']);
	expect(new Set(await Promise.all(statuses))).toEqual(new Set(['completed']));
});

onLinux('has done nothing of what a full disk has kept it from writing', async () => {
	const args = ['reviewed-article', '--data', folders.make()];
	const { server, client } = await operate(args);
	const [stopped, resumed] = [await client.kickoff(), await client.kickoff()];
	for (const id of [stopped, resumed]) await client.untilStatus(id, 'pending_human_input');
	limitFiles(server.pid, 1);
	expect((await client.post(`/stop/${stopped}`)).status).toBeGreaterThanOrEqual(500);
	expect((await client.resume(resumed)).status).toBeGreaterThanOrEqual(500);
	expect((await client.get('/health')).status).toBe(503);
	limitFiles(server.pid, 'unlimited');
	await until(async () => (await client.get('/health')).status === 200);
	for (const id of [stopped, resumed]) {
		const { body } = await client.get(`/${id}/status`);
		expect(body['status']).toBe('pending_human_input');
	}
	expect((await client.post(`/stop/${stopped}`)).status).toBe(200);
	expect((await client.resume(resumed)).status).toBe(200);
	await client.untilStatus(resumed, 'completed');
	await server.end();
	const again = await operate(args);
	expect((await again.client.get(`/${stopped}/status`)).body['status']).toBe('stopped');
	expect((await again.client.get(`/${resumed}/status`)).body['status']).toBe('completed');
});

/** Bytes that a process has written, to files and pipes. */
const written = ({ pid = 0 }: Operated) =>
	Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);

onLinux('writes what has changed, however large the rest is', async () => {
	const tools = Array.from({ length: 100 }, (_, index) => `tool${index}`);
	const file = crewFile(`duration: 0\n    tools: [${tools.join(', ')}]`);
	const { server, client } = await operate([file, '--data', folders.make()]);
	const webhooks = { url: 'http://127.0.0.1:9/', events: ['tool_usage_finished'] };
	const before = written(server);
	const id = await client.kickoff({ meta: { text: 'x'.repeat(MEGABYTE) }, webhooks });
	await client.untilStatus(id, 'completed');
	expect(written(server) - before).toBeLessThan(20 * MEGABYTE);
});
