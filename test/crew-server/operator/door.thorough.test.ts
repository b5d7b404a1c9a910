import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { until } from '../support/until';
import { HOSTILE_BODIES } from './support/hostileBodies';
import { folders, operate, Operated, TOKEN } from './support/operated';

/** Input over HTTP and on the command line, in any shape. */

const MEGABYTE = 1024 ** 2;

/** Sends a body in pieces, like clients that do not wait for an answer. @returns the status, or an error code */
function upload(url: string, body: string): Promise<number | string> {
	return new Promise((resolve) => {
		const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
		const sent = request(`${url}/kickoff`, { method: 'POST', headers }, (response) => {
			response.resume();
			resolve(response.statusCode ?? 0);
		});
		sent.on('error', (error: NodeJS.ErrnoException) => {
			resolve(error.code ?? 'broken');
		});
		const bytes = Buffer.from(body);
		sent.setHeader('content-length', bytes.length);
		for (let start = 0; start < bytes.length; start += 65_536) {
			sent.write(bytes.subarray(start, start + 65_536));
		}
		sent.end();
	});
}

it('tells each client that its body is too large', async () => {
	const { url, client } = await operate(['--no-data']);
	const body = JSON.stringify({ inputs: { topic: 'x'.repeat(8 * MEGABYTE) } });
	const statuses = await Promise.all(Array.from({ length: 20 }, () => upload(url, body)));
	expect(new Set(statuses)).toEqual(new Set([413]));
	expect((await client.get('/health')).status).toBe(200);
});

it.each(['__proto__', 'constructor', 'prototype'])('accepts an input named %s', async (name) => {
	const { client } = await operate(['--no-data']);
	const { status, body } = await client.post(
		'/kickoff',
		`{"inputs": {"topic": "Tea", "${name}": {"a": 1}}}`,
	);
	expect(status).toBe(200);
	await client.untilStatus(String(body['kickoff_id']), 'completed');
});

/** With the crew that repeats its inputs in all of its texts. */
it.each(HOSTILE_BODIES)('answers others within 250 ms while a client sends %s', async (_, body) => {
	const { url, client } = await operate(['research', '--data', folders.make()]);
	const id = await client.kickoff();
	const workerData = { url, token: TOKEN, body: body() };
	const hostile = new Worker(join(__dirname, 'support', 'hostileClient.cjs'), { workerData });
	let sent = 0;
	hostile.on('message', () => (sent += 1));
	await once(hostile, 'message');
	const times: number[] = [];
	const take = async (answer: Promise<{ status: number }>) => {
		const before = performance.now();
		expect((await answer).status).toBe(200);
		times.push(performance.now() - before);
	};
	while (times.length < 120 || sent < 10) {
		await take(client.get(`/${id}/status`));
		await take(client.post('/kickoff', { inputs: { topic: 'Tea' } }));
	}
	await hostile.terminate();
	times.sort((one, other) => one - other);
	expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(250);
});

it('logs no field with a secret name, and only the beginning of long values', async () => {
	const { server, client } = await operate(['--no-data', '--log-level', 'debug']);
	const secrets = {
		Authorization: 'Basic hush',
		credential: 'hush',
		passwd: 'hush',
		cookie: { a: 'hush' },
	};
	await client.kickoff({
		inputs: {
			topic: 'Tea',
			...secrets,
			nested: JSON.stringify(secrets),
			long: 'x'.repeat(MEGABYTE),
		},
	});
	await until(() => server.told('crew_kickoff_completed')[0]);
	expect(server.output).not.toContain('hush');
	expect(server.output).toContain('(1048576 characters)');
	expect(server.output.length).toBeLessThan(MEGABYTE);
});

it.each([
	['a token of one letter', ['--token', 'a'], 'at least 8'],
	['the same token twice', ['--token', TOKEN, '--user-token', TOKEN], 'the same'],
])('does not start with %s', async (_name, args, message) => {
	const server = new Operated(['--port', '0', '--no-data', ...args]);
	expect(await server.ended).toBe(1);
	expect(server.output).toContain(message);
});

it.each([
	[['--data', '/tmp/x', '--no-data'], '--data and --no-data'],
	[['--played', '--max-tokens', '2'], '--max-tokens is for CrewAI projects'],
	[['research', '--parallel', '2'], '--parallel is for CrewAI projects'],
	[['research', '--storage', '/shared'], '--storage is for CrewAI projects'],
	[['--keep', 'long'], '--keep'],
])('does not start with %j', async (args, message) => {
	const server = new Operated(['--port', '0', ...args]);
	expect(await server.ended).not.toBe(0);
	expect(server.output).toContain(message);
});

describe('targets that cannot work are refused at the kickoff', () => {
	it.each([
		[{ crewWebhookUrl: 'http://127.0.0.1:99999/' }, 'crewWebhookUrl'],
		[{ crewWebhookUrl: `http://127.0.0.1:9/${'x'.repeat(8_000)}` }, 'crewWebhookUrl'],
		[{ webhooks: { url: 'http://127.0.0.1:99999/', events: [] } }, 'webhooks.url'],
		[
			{
				humanInputWebhook: {
					url: 'http://127.0.0.1:9/',
					authentication: { strategy: 'bearer', token: 'a\nb' },
				},
			},
			'humanInputWebhook.authentication.token',
		],
	])('%j', async (targets, field) => {
		const { client } = await operate(['--no-data']);
		const answer = await client.post('/kickoff', { inputs: { topic: 'Tea' }, ...targets });
		expect(answer.status).toBe(400);
		expect(answer.body['message']).toContain(field);
	});
});
