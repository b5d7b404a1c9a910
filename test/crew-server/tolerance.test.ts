import { createServer, request as forward } from 'node:http';
import { gzipSync } from 'node:zlib';

import { startCrewServer, type CrewDefinition, type CrewServer } from '../../crew-server/src';
import { listenOnLoopback } from '../../sandbox/src/loopback';
import { Client } from './support/client';
import { crewOf } from './support/crewOf';

/** What clients send that does not quite match the specification. */

let crew: CrewServer;
let client: Client;

async function deploy(which: string | CrewDefinition = 'research'): Promise<void> {
	crew = await startCrewServer({ crew: which });
	client = new Client(crew);
}
afterEach(() => crew.close());

const newest = async () => (await crew.executions()).at(-1)!;

it('treats null as absent in every field that may be absent', async () => {
	await deploy('reviewed-article');
	const id = await client.kickoff({
		inputs: { topic: 'Tea' },
		meta: null,
		taskWebhookUrl: null,
		stepWebhookUrl: null,
		crewWebhookUrl: null,
		humanInputWebhook: { url: 'http://127.0.0.1:9/ask', authentication: null },
		webhooks: null,
		crewai_trigger_payload: null,
	});
	expect(await newest()).toMatchObject({ inputs: { topic: 'Tea' } });
	expect((await newest()).inputs).toEqual({ topic: 'Tea' });
	expect((await newest()).meta).toBeUndefined();
	expect((await newest()).callbacks).toEqual({
		humanInputWebhook: { url: 'http://127.0.0.1:9/ask' },
	});
	await client.untilStatus(id, 'pending_human_input');
	const nulls = { taskWebhookUrl: null, humanInputWebhook: null, executionId: null };
	expect(await client.resume(id, nulls)).toMatchObject({ status: 200 });
	expect((await newest()).callbacks).toEqual({});
});

it('accepts null for an optional input, and keeps it in fields that people name themselves', async () => {
	await deploy();
	await client.kickoff({ inputs: { topic: 'Tea', year: null, other: null }, meta: { a: null } });
	expect(await newest()).toMatchObject({
		inputs: { topic: 'Tea', other: null },
		meta: { a: null },
	});
	expect((await newest()).inputs).not.toHaveProperty('year');
	const { status, body } = await client.post('/kickoff', { inputs: null });
	expect([status, body['details']]).toEqual([422, { missing_inputs: ['topic'] }]);
});

it('takes text as a number only for an input that is one', async () => {
	await deploy();
	await client.kickoff({ inputs: { topic: '7', year: ' 2026 ' } });
	expect((await newest()).inputs).toEqual({ topic: '7', year: 2026 });
});

it('replaces halves of characters', async () => {
	await deploy();
	const inputs =
		'"topic":"a\\ud800b\\ude00","c\\udfff":["\\ud83d\\ude00","\\\\ud800"],"__proto__":"\\uD800"';
	await client.post('/kickoff', `{"inputs":{${inputs}}}`);
	expect(Object.entries((await newest()).inputs)).toEqual([
		['topic', 'a\uFFFDb\uFFFD'],
		['c\uFFFD', ['😀', '\\ud800']],
		['__proto__', '\uFFFD'],
	]);
});

it('takes a mark of UTF-8 before a body, and refuses what it would not read as it was meant', async () => {
	await deploy();
	const body = '{"inputs":{"topic":"Thé"}}';
	const send = async (bytes: Uint8Array<ArrayBuffer>, headers = {}) => {
		const authorization = `Bearer ${crew.accessToken}`;
		const type = { 'content-type': 'application/json; charset=latin1' };
		const init = { method: 'POST', headers: { authorization, ...type, ...headers }, body: bytes };
		const answer = await fetch(`${crew.url}/kickoff`, init);
		return [answer.status, ((await answer.json()) as { message?: string }).message];
	};
	expect(await send(Buffer.from(`\uFEFF${body}`))).toEqual([200, undefined]);
	expect((await newest()).inputs).toEqual({ topic: 'Thé' });
	expect(await send(Buffer.from(body, 'latin1'))).toEqual([
		400,
		'Invalid input format: the body is not UTF-8',
	]);
	expect(await send(gzipSync(body), { 'content-encoding': 'gzip' })).toEqual([
		400,
		'Invalid input format: send the body without Content-Encoding',
	]);
	expect(await crew.executions()).toHaveLength(1);
});

it('takes a thousand types of events, and no more', async () => {
	await deploy();
	const types = Array.from({ length: 1_001 }, (_, index) => `type${index}`);
	const webhooks = (events: string[]) => ({ url: 'http://127.0.0.1:9/', events });
	await client.kickoff({ webhooks: webhooks(types.slice(1)) });
	for (const events of [types, ['x'.repeat(201)]]) {
		const body = { inputs: { topic: 'Tea' }, webhooks: webhooks(events) };
		expect((await client.post('/kickoff', body)).status).toBe(400);
	}
});

it('completes with an output whose JSON is too deep to be written again', async () => {
	const output = '['.repeat(9_000) + ']'.repeat(9_000);
	await deploy(crewOf([0], output));
	const targets = { taskWebhookUrl: 'http://127.0.0.1:9/', crewWebhookUrl: 'http://127.0.0.1:9/' };
	const id = await client.kickoff(targets);
	await client.untilStatus(id, 'completed');
	const { body } = await client.get(`/status/${id}`);
	expect([body['result'], body['result_json']]).toEqual([output, null]);
});

it('ignores unknown fields', async () => {
	await deploy();
	const authentication = { strategy: 'bearer', token: 't', realm: 'r' };
	await client.kickoff({
		inputs: { topic: 'Tea' },
		trainingFilename: 'x',
		webhooks: { url: 'http://127.0.0.1:9', events: [], colour: 'red', authentication },
	});
	expect((await newest()).callbacks.webhooks).toMatchObject({ events: [], authentication });
	expect(await newest()).not.toHaveProperty('trainingFilename');
});

describe('crewai_trigger_payload', () => {
	const payload = { id: 7, subject: null };
	const open: CrewDefinition = {
		name: 'open',
		inputs: [],
		tasks: [
			{ name: 'one', description: 'Work', expectedOutput: 'A text', agent: 'A', output: 'done' },
		],
	};

	it.each<[string, { inputs?: object | null }]>([
		['alone', {}],
		['beside inputs', { inputs: { topic: 'Tea' } }],
		['beside inputs that are null', { inputs: null }],
	])('is an input, %s', async (_case, body) => {
		await deploy(open);
		const answer = await client.post('/kickoff', { ...body, crewai_trigger_payload: payload });
		expect(answer.status).toBe(200);
		expect((await newest()).inputs).toEqual({ ...body.inputs, crewai_trigger_payload: payload });
	});

	it('gives way to the input of this name', async () => {
		await deploy(open);
		const inputs = { crewai_trigger_payload: { id: 8 } };
		await client.kickoff({ inputs, crewai_trigger_payload: payload });
		expect((await newest()).inputs).toEqual(inputs);
	});
});

it('accepts a resume in camelCase', async () => {
	await deploy('reviewed-article');
	const id = await client.kickoff();
	await client.untilStatus(id, 'pending_human_input');
	const answer = await client.post('/resume', {
		executionId: id,
		taskId: 'write_draft',
		humanFeedback: 'Shorter',
		isApprove: false,
	});
	expect(answer).toMatchObject({ status: 200, body: { status: 'retrying' } });
	expect((await newest()).questions).toMatchObject([
		{ answer: { feedback: 'Shorter', isApprove: false } },
	]);
});

describe('behind a proxy with its own prefix', () => {
	/** A crew that is still running whenever it is stopped. */
	const LONG: CrewDefinition = {
		name: 'long',
		inputs: [{ name: 'topic', type: 'string', required: true }],
		tasks: [
			{
				name: 'work',
				description: 'Work on {topic}',
				expectedOutput: 'Nothing',
				agent: 'Worker',
				duration: 600_000,
				output: 'Nothing',
			},
		],
	};

	/** A proxy that removes the prefix from requests, or leaves it. */
	async function startProxy(keeps: boolean) {
		const target = new URL(crew.url);
		const server = createServer((received, response) => {
			const path = keeps ? received.url : received.url?.replace('/crews/42', '');
			const { method, headers } = received;
			const sent = forward({ port: target.port, host: target.hostname, path, method, headers });
			sent.on('response', (answer) => {
				response.writeHead(answer.statusCode ?? 500, answer.headers);
				answer.pipe(response);
			});
			received.pipe(sent);
		});
		return await listenOnLoopback(server);
	}

	it.each([
		['takes away', false],
		['leaves', true],
	])('that it %s', async (_case, keeps) => {
		await deploy(LONG);
		const proxy = await startProxy(keeps);
		const { accessToken } = crew;
		const behind = new Client({ url: `${proxy.url}/crews/42`, accessToken });
		expect((await behind.get('/inputs')).status).toBe(200);
		const id = await behind.kickoff();
		expect((await behind.get(`/${id}/status`)).body).toMatchObject({ status: 'running' });
		expect((await behind.get(`/status/${id}`)).body).toHaveProperty('state');
		expect((await behind.post(`/stop/${id}`)).status).toBe(200);
		expect((await behind.get('/none')).status).toBe(404);
		await proxy.close();
	});

	it('accepts a base URL with a slash at its end', async () => {
		await deploy();
		const headers = { authorization: `Bearer ${crew.accessToken}` };
		expect((await fetch(`${crew.url}//inputs`, { headers })).status).toBe(200);
	});
});

describe('what HTTP leaves open', () => {
	const send = (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
		fetch(`${crew.url}${path}`, {
			...init,
			headers: { authorization: `Bearer ${crew.accessToken}`, ...headers },
		});

	it.each(['application/x-www-form-urlencoded', 'text/plain', ''])(
		'takes a request without a body, with the type %j',
		async (type) => {
			await deploy('reviewed-article');
			const id = await client.kickoff();
			const init = { method: 'POST', body: '' };
			const answer = await send(`/stop/${id}`, init, { 'content-type': type });
			expect(answer.status).toBe(200);
		},
	);

	it('accepts JSON without a type', async () => {
		await deploy();
		const body = Buffer.from(JSON.stringify({ inputs: { topic: 'Tea' } }));
		expect((await send('/kickoff', { method: 'POST', body })).status).toBe(200);
		expect((await newest()).inputs).toEqual({ topic: 'Tea' });
	});

	it('accepts a slash at the end of a path, and an identifier in capitals', async () => {
		await deploy('reviewed-article');
		const id = await client.kickoff();
		const paths = ['/inputs/', `/${id}/status/`, `/status/${id}/`, `/crews/42/${id}/status/?a=b`];
		for (const path of paths) expect([path, (await send(path)).status]).toEqual([path, 200]);
		expect((await send(`/${id.toUpperCase()}/status`)).status).toBe(200);
		await client.untilStatus(id, 'pending_human_input');
		expect((await client.resume(id.toUpperCase())).status).toBe(200);
	});

	it.each([
		['{"a":', '}', 400, 200],
		['[', ']', 400, 200],
		['{"a":', '}', 10_000, 400],
		['[', ']', 100_000, 400],
	])(
		'accepts or refuses a body by its levels: %s 1 %s, %i times: %i',
		async (open, end, levels, status) => {
			await deploy();
			const meta = `{"a":${open.repeat(levels)}1${end.repeat(levels)}}`;
			const answer = await client.post('/kickoff', `{"inputs":{"topic":"Tea"},"meta":${meta}}`);
			expect(answer.status).toBe(status);
		},
	);

	const open = '['.repeat(600);
	it.each([
		['after a quotation mark', `say "${open}"`],
		['after a backslash', `\\", ${open}`],
		['before backslashes', `${open}${'\\'.repeat(3)}`],
	])('does not count levels inside a text: %s', async (_where, topic) => {
		await deploy();
		await client.kickoff({ inputs: { topic } });
		expect((await newest()).inputs).toEqual({ topic });
		const tooDeep = `{"inputs":{"topic":${JSON.stringify(topic)}},"meta":${open}`;
		const { body } = await client.post('/kickoff', tooDeep);
		expect(JSON.stringify(body)).toContain('more than 500 levels');
	});
});
