import { randomBytes } from 'node:crypto';
import { openSync, readdirSync, readFileSync, statSync, writeSync, closeSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { run } from '../../../crew-server/src/store/sql';
import { Sqlite } from '../../../crew-server/src/store/sqlite';
import { limitFiles } from '../support/limitFiles';
import { onLinux } from '../support/onLinux';
import { startReceiver } from '../support/receiver';
import { until } from '../support/until';
import { crewFile, folders, mostMemory, operate, TOKEN, type Operated } from './support/operated';

/** Promises are kept, and problems are reported. */

const LONG = 180_000;
const MEGABYTE = 1024 ** 2;

const rejection = (kickoffId: string, feedback: string) => ({
	execution_id: kickoffId,
	task_id: 'write_draft',
	human_feedback: feedback,
	is_approve: false,
});

it('accepts one of two answers to a question, and never the other one for the next question', async () => {
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

it('reports a stop to readers of events, and to webhooks', async () => {
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

it('ignores the fault header without a token, and does not read a query as a path', async () => {
	const { url } = await operate(['--no-data']);
	const headers = { 'x-crew-fault': 'status=503' };
	expect((await fetch(`${url}/inputs`, { headers })).status).toBe(401);
	const authorization = `Bearer ${TOKEN}`;
	const answer = await fetch(`${url}/inputs?x=/health`, { headers: { authorization } });
	expect(await answer.json()).toHaveProperty('inputs');
});

it('starts with partly damaged data or says why it cannot, and never loses data silently', async () => {
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

it('sets aside executions that it cannot read, says so, and serves all others', async () => {
	const data = folders.make();
	const args = ['reviewed-article', '--data', data];
	const { server, client } = await operate(args);
	// Large parts are not read each time.
	const inputs = { topic: 'x'.repeat(10_000) };
	const ids = await Promise.all(Array.from({ length: 4 }, () => client.kickoff({ inputs })));
	for (const id of ids) await client.untilStatus(id, 'pending_human_input');
	await server.end();
	const database = new Sqlite(join(data, 'executions.db'));
	const ofExecution = 'key = (SELECT key FROM executions WHERE kickoff_id = $1)';
	const [cut, newer, ...others] = ids as [string, string, ...string[]];
	database.perform(
		run(`UPDATE parts SET value = '{"in' WHERE name = 'inputs' AND ${ofExecution}`, cut),
	);
	// Like a version that stores tasks differently.
	database.perform(
		run(`UPDATE parts SET value = '[7]' WHERE name LIKE 'tasks.%' AND ${ofExecution}`, newer),
	);
	database.perform(
		run(`UPDATE executions SET state = 'queued' WHERE kickoff_id IN ($1, $2)`, cut, newer),
	);
	database.close();
	const again = await operate(args);
	for (const id of [cut, newer]) expect((await again.client.get(`/${id}/status`)).status).toBe(404);
	for (const id of others) {
		expect((await again.client.resume(id)).status).toBe(200);
		await again.client.untilStatus(id, 'completed');
	}
	await again.client.untilStatus(await again.client.kickoff(), 'pending_human_input');
	expect(again.server.output.match(/"msg":"The execution [^"]* cannot be read/g)).toHaveLength(2);
});

it(
	'tells a late reader of events which ones are missing',
	async () => {
		const lines = Array.from({ length: 5_100 }, (_, index) => `t${index}`);
		const { client, url } = await operate([
			crewFile(`duration: 0\n    tools: [${lines.join(', ')}]`),
			'--no-data',
		]);
		const id = await client.kickoff();
		await until(
			async () => (await client.get(`/${id}/status`)).body['status'] === 'completed',
			LONG,
		);
		const headers = { authorization: `Bearer ${TOKEN}`, 'last-event-id': `${id}-1` };
		const events = await (await fetch(`${url}/${id}/events`, { headers })).text();
		const [, number, data = ''] =
			/^: open\n\nid: .*-(\d+)\nevent: events_missing\ndata: (.*)\n/.exec(events) ?? [];
		expect(JSON.parse(data)).toMatchObject({ data: { from: 2, to: Number(number) } });
		expect(events).toContain(`\nid: ${id}-${Number(number) + 1}\n`);
		expect(events).toContain('event: crew_kickoff_completed');
	},
	LONG,
);

/** Reads at most this many bytes a second. @returns whether a text came, and how many milliseconds it took */
async function readSteadily(url: string, rate: number, wanted: string) {
	const begun = performance.now();
	const headers = { authorization: `Bearer ${TOKEN}` };
	const response = await new Promise<IncomingMessage>((resolve) => {
		get(url, { headers }, resolve);
	});
	let bytes = 0;
	let end = '';
	let hasCome = false;
	try {
		for await (const chunk of response as AsyncIterable<Buffer>) {
			bytes += chunk.length;
			const text = end + chunk.toString();
			hasCome ||= text.includes(wanted);
			end = text.slice(-wanted.length);
			await sleep(Math.max(0, (bytes / rate) * 1_000 - (performance.now() - begun)));
		}
	} catch {
		// The server has closed the connection.
	}
	return { hasCome, took: performance.now() - begun };
}

it(
	'does not disconnect a reader of events that reads 300 kB a second, however long a single event takes',
	async () => {
		const file = crewFile('duration: 0', { tasks: 2 });
		const fault = ['--fault', 'output=15MB@work0*1'];
		const { client, url } = await operate([file, '--no-data', ...fault]);
		const id = await client.kickoff();
		await client.untilStatus(id, 'completed');
		const last = 'event: crew_kickoff_completed';
		const { hasCome, took } = await readSteadily(`${url}/${id}/events`, 300_000, last);
		expect(hasCome).toBe(true);
		expect(took).toBeGreaterThan(45_000);
	},
	LONG,
);

onLinux(
	'keeps nothing large in memory for executions with large inputs, open pages, and status checks',
	async () => {
		const { server, client, url } = await operate([
			crewFile('duration: 10000'),
			'--data',
			folders.make(),
		]);
		const headers = { authorization: `Bearer ${TOKEN}` };
		const topic = 'x'.repeat(2 * MEGABYTE);
		const ids: string[] = [];
		let isOver = false;
		let looks = 0;
		const page = async () => {
			for (; !isOver; looks += 1) {
				const id = ids.at(-1) ?? '';
				const asked = ids[looks % ids.length] ?? '';
				const one = [`page/execution?id=${id}`, `page/events?id=${id}&after=0`, `status/${asked}`];
				for (const path of ['page/executions', 'page/crew', ...(ids.length > 0 ? one : [])]) {
					const answer = await fetch(`${url}/${path}`, { headers });
					expect([path, answer.status]).toEqual([path, 200]);
					await answer.text();
				}
			}
		};
		const pages = Promise.all(Array.from({ length: 3 }, page));
		// A failure is thrown at the end.
		pages.catch(() => undefined);
		while (ids.length < 50) ids.push(await client.kickoff({ inputs: { topic } }));
		const hasEnded = async (id: string) =>
			(await client.get(`/${id}/status`)).body['status'] === 'completed';
		for (const id of ids) await until(() => hasEnded(id), LONG);
		isOver = true;
		await pages;
		expect(looks).toBeGreaterThan(3);
		expect(mostMemory(server.pid)).toBeLessThan(500);
	},
	LONG,
);

onLinux('keeps its promises after the disk was full for a moment', async () => {
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

onLinux('does nothing that a full disk keeps it from writing', async () => {
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

onLinux.each([
	[
		'events that are held',
		{ webhooks: { url: 'http://127.0.0.1:9/', events: ['tool_usage_finished'] } },
	],
	['callbacks that echo it', { stepWebhookUrl: 'http://127.0.0.1:9/' }],
])('writes only what has changed, however large the rest is: %s', async (_, targets) => {
	const tools = Array.from({ length: 100 }, (_, index) => `tool${index}`);
	const file = crewFile(`duration: 0\n    tools: [${tools.join(', ')}]`);
	const { server, client } = await operate([file, '--data', folders.make()]);
	const before = written(server);
	const id = await client.kickoff({ meta: { text: 'x'.repeat(MEGABYTE) }, ...targets });
	await client.untilStatus(id, 'completed');
	expect(written(server) - before).toBeLessThan(20 * MEGABYTE);
});
