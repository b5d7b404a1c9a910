import { request } from 'node:http';
import { hostname } from 'node:os';

import { startCrewServer, type CrewServer } from '../../crew-server/src';

let crew: CrewServer;
beforeAll(async () => {
	crew = await startCrewServer({ publicHosts: ['Crew.example.com'] });
});
afterAll(() => crew.close());

interface Sent {
	path?: string;
	method?: string;
	headers: Record<string, string>;
}

/** Sends headers of browsers, which `fetch` would not allow. @returns the answer's status and body */
function send({ path = '/health', method = 'GET', headers }: Sent) {
	return new Promise<{ status: number; body: string }>((resolve, reject) => {
		const sent = request(new URL(path, crew.url), { method, headers }, (answer) => {
			let body = '';
			answer.on('data', (chunk) => (body += String(chunk)));
			answer.on('end', () => {
				resolve({ status: answer.statusCode ?? 0, body });
			});
		});
		sent.on('error', reject);
		sent.end();
	});
}

const OPEN = ['/', '/health', '/openapi.json', '/page/page.js'];

it.each(OPEN)('%s is refused under a foreign name that leads here', async (path) => {
	const { status, body } = await send({ path, headers: { host: 'evil.example.org:80' } });
	expect(status).toBe(403);
	expect(body).toContain('--public-host evil.example.org');
});

it.each([
	'localhost:8321',
	'127.0.0.1',
	'[::1]:8321',
	'192.168.1.7:8321',
	'host.docker.internal:8321',
	'crew-server:8321',
	'crew.localhost',
	hostname(),
	'crew.example.com',
])('it is known as %s', async (host) => {
	expect((await send({ headers: { host } })).status).toBe(200);
});

it('needs no known name if a token is required', async () => {
	const headers = { host: 'evil.example.org' };
	expect((await send({ path: '/inputs', headers })).status).toBe(401);
	const authorization = `Bearer ${crew.accessToken}`;
	expect((await send({ path: '/inputs', headers: { ...headers, authorization } })).status).toBe(
		200,
	);
});

const own = () => new URL(crew.url).host;

it.each([
	['says so', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
	['is at another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
	[
		'puts it into a frame',
		{
			'sec-fetch-site': 'cross-site',
			'sec-fetch-mode': 'navigate',
			'sec-fetch-dest': 'iframe',
		},
	],
	['has another origin', { origin: 'http://evil.example.org' }],
	['has none to show', { origin: 'null' }],
])('a page elsewhere that %s can do nothing, not even with a token', async (_, sent) => {
	const headers = { ...sent, authorization: `Bearer ${crew.accessToken}` };
	for (const [method, path] of [
		['GET', '/health'],
		['GET', '/inputs'],
		['GET', '/page/executions'],
		['POST', '/page/send-again'],
		['POST', '/kickoff'],
	] as const) {
		expect((await send({ method, path, headers })).status).toBe(403);
	}
	expect(crew.started()).toBe(0);
});

it.each([
	['its own page', () => ({ 'sec-fetch-site': 'same-origin', origin: crew.url })],
	['its own page, whose address the browser does not trust', () => ({ origin: crew.url })],
	['an address that was typed', () => ({ 'sec-fetch-site': 'none' })],
	[
		'a page behind a proxy',
		() => ({
			origin: 'https://crew.example.com',
			'x-forwarded-host': 'crew.example.com',
			host: own(),
		}),
	],
	[
		'a link on any page',
		() => ({
			'sec-fetch-site': 'cross-site',
			'sec-fetch-mode': 'navigate',
			'sec-fetch-dest': 'document',
		}),
	],
])('%s can use it', async (_, sent) => {
	expect((await send({ headers: sent() })).status).toBe(200);
});

it('a link elsewhere starts nothing', async () => {
	const headers = {
		'sec-fetch-site': 'cross-site',
		'sec-fetch-mode': 'navigate',
		'sec-fetch-dest': 'document',
	};
	expect((await send({ path: '/kickoff', method: 'POST', headers })).status).toBe(403);
});

it.each(['/kickoff', '/nowhere'])('no body is awaited at %s without a token', async (path) => {
	const headers = { 'content-type': 'application/json', 'content-length': '1000' };
	const sent = request(new URL(path, crew.url), { method: 'POST', headers });
	sent.on('error', () => undefined);
	const answered = new Promise<number | undefined>((resolve) => {
		sent.on('response', ({ statusCode }) => {
			resolve(statusCode);
		});
	});
	sent.flushHeaders();
	expect(await answered).toBe(path === '/kickoff' ? 401 : 404);
	sent.destroy();
});
