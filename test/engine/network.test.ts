import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import nock from 'nock';
import { gzipSync } from 'node:zlib';
import { KICKOFF_ID, OPERATION_NAMES, OPERATIONS } from '../support/crewOperations';
import { runCrew } from '../support/engine';
import { FOREIGN_TYPE } from '../support/engineNodeTypes';
import { inFastTime } from '../support/fastTime';
import { startServer, type StrangeServer } from '../support/strangeServer';

type Treat = (request: IncomingMessage, response: ServerResponse, socket: Socket) => void;

const KICKOFF = { parameters: OPERATIONS.kickoff };
const GET_INPUTS = { parameters: OPERATIONS.getInputs };
const HEADERS = { 'Content-Type': 'application/json' };

const servers: StrangeServer[] = [];

async function start(treat: Treat): Promise<StrangeServer> {
	const server = await startServer(treat);
	servers.push(server);
	return server;
}

beforeEach(() => {
	nock.enableNetConnect('127.0.0.1');
});

afterEach(async () => {
	await Promise.all(
		servers.splice(0).map(async ({ close }) => {
			await close();
		}),
	);
});

const FAULTS: Array<[string, Treat, string]> = [
	[
		'drops the connection',
		(_request, _response, socket) => socket.destroy(),
		'The crew’s server closed the connection without an answer',
	],
	[
		'resets the connection',
		(_request, _response, socket) => socket.resetAndDestroy(),
		'The crew’s server closed the connection without an answer',
	],
	[
		'breaks off after half of the body',
		(_request, response, socket) => {
			response.writeHead(200, { ...HEADERS, 'Content-Length': 1000 });
			response.write('{"kickoff_id":');
			setImmediate(() => socket.destroy());
		},
		'The crew’s server sent an answer that ends too early or cannot be read',
	],
	[
		'sends something that is not HTTP',
		(_request, _response, socket) => socket.end('220 mail.example.com ESMTP\r\n'),
		'The crew’s server sent an answer that ends too early or cannot be read',
	],
	[
		'sends a body that is not compressed as it says',
		(_request, response) => {
			response.writeHead(200, { ...HEADERS, 'Content-Encoding': 'gzip' }).end('{"kickoff_id":"a"}');
		},
		'The crew’s server sent an answer that ends too early or cannot be read',
	],
	['never answers', () => undefined, 'The crew’s server did not answer within {seconds} s'],
	[
		'answers, but never ends',
		(_request, response) => {
			response.writeHead(200, HEADERS);
			const drip = setInterval(() => response.write(' '), 500);
			response.on('close', () => {
				clearInterval(drip);
			});
		},
		'The crew’s server did not answer within {seconds} s',
	],
];

describe.each(FAULTS)('a server that %s', (_what, treat, message) => {
	it('is asked for the inputs three times', async () => {
		const { baseUrl, requests } = await start(treat);
		const { error } = await inFastTime(
			async () => await runCrew(GET_INPUTS, { credential: { baseUrl } }),
		);
		expect(error?.message).toBe(message.replace('{seconds}', '20'));
		expect(requests).toHaveLength(3);
	});

	it('gets a kickoff once, and the message says that the crew may have started', async () => {
		const { baseUrl, requests } = await start(treat);
		const { error } = await inFastTime(
			async () => await runCrew(KICKOFF, { credential: { baseUrl } }),
		);
		expect(error?.message).toBe(message.replace('{seconds}', '60'));
		expect(error?.description).toContain('may have been started');
		expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});
});

describe('a server that refuses the connection', () => {
	it('cannot have started the crew', async () => {
		const { baseUrl, close } = await startServer(() => undefined);
		await close();
		const { error } = await inFastTime(
			async () => await runCrew(KICKOFF, { credential: { baseUrl } }),
		);
		expect(error?.message).toBe('The crew’s server refuses the connection');
		expect(error?.description).toMatch(/^Check the base URL in the Crew API credential/);
		expect(error?.description).not.toContain('may have been started');
	});
});

describe('a redirect', () => {
	it.each(OPERATION_NAMES)(
		'takes neither %s nor the access token to another server',
		async (name) => {
			const thief = await start((_request, response) => response.end('{}'));
			const { baseUrl } = await start((request, response) => {
				response.writeHead(307, { Location: thief.baseUrl + (request.url ?? '') }).end();
			});
			const { error } = await runCrew(
				{ parameters: OPERATIONS[name] },
				{ credential: { baseUrl } },
			);
			expect(error?.message).toBe('The address leads elsewhere (HTTP 307)');
			expect(error?.description).toContain(`It leads to ${thief.baseUrl}`);
			expect(thief.requests).toHaveLength(0);
		},
	);
});

const HELPERS = ['httpRequestWithAuthentication', 'requestWithAuthentication'];

describe.each(HELPERS)('with the credential in another node, by %s', (helper) => {
	it.each([301, 302, 303, 307, 308])('a redirect takes the token nowhere: %s', async (status) => {
		const thief = await start((_request, response) => response.end('taken'));
		const { baseUrl, requests } = await start((request, response) => {
			response.writeHead(status, { Location: thief.baseUrl + (request.url ?? '') }).end('stayed');
		});
		const parameters = { helper, url: `${baseUrl}/inputs` };
		const { error } = await runCrew(
			{ type: FOREIGN_TYPE, parameters },
			{ credential: { baseUrl } },
		);
		expect(error).toBeDefined();
		expect(requests[0]?.headers.authorization).toBe('Bearer organisation-token');
		expect(thief.requests).toHaveLength(0);
	});

	it('the token is not sent to another address than the crew’s', async () => {
		const thief = await start((_request, response) => response.end('taken'));
		const parameters = { helper, url: `${thief.baseUrl}/inputs` };
		const { error } = await runCrew(
			{ type: FOREIGN_TYPE, parameters },
			{ credential: { baseUrl: 'https://crew.example.com' } },
		);
		expect(error).toBeDefined();
		expect(thief.requests).toHaveLength(0);
	});
});

describe('a link or a path in an answer', () => {
	it('is data', async () => {
		const thief = await start((_request, response) => response.end('{}'));
		const links = {
			result: `${thief.baseUrl}/result.json`,
			result_json: { $ref: 'file:///etc/passwd', next: `${thief.baseUrl}/next` },
			tasks: [`${thief.baseUrl}/tasks`],
		};
		const { baseUrl, requests } = await start((_request, response) => {
			const headers = {
				...HEADERS,
				Link: `<${thief.baseUrl}>; rel="next"`,
				Refresh: `0; ${thief.baseUrl}`,
			};
			response.writeHead(200, headers).end(JSON.stringify({ status: 'completed', ...links }));
		});
		const { json } = await runCrew(
			{ parameters: OPERATIONS.getStatus },
			{ credential: { baseUrl } },
		);
		expect(json).toEqual([
			{
				kickoff_id: KICKOFF_ID,
				status: 'completed',
				output: links.result,
				output_json: links.result_json,
				tasks: links.tasks,
			},
		]);
		expect(requests).toHaveLength(1);
		expect(thief.requests).toHaveLength(0);
	});
});

describe('what is sent', () => {
	it('is JSON with the token, and asks for JSON', async () => {
		const { baseUrl, requests } = await start((_request, response) => {
			response.writeHead(200, HEADERS).end(JSON.stringify({ kickoff_id: KICKOFF_ID }));
		});
		await runCrew(KICKOFF, { credential: { baseUrl } });
		expect(requests[0]).toMatchObject({
			method: 'POST',
			url: '/kickoff',
			headers: {
				authorization: 'Bearer organisation-token',
				'content-type': 'application/json',
				accept: 'application/json',
			},
		});
	});

	it('may be answered compressed, and with a byte order mark', async () => {
		const { baseUrl } = await start((_request, response) => {
			response
				.writeHead(200, { ...HEADERS, 'Content-Encoding': 'gzip' })
				.end(gzipSync('\uFEFF{"inputs":["topic"]}'));
		});
		const { json } = await runCrew(GET_INPUTS, { credential: { baseUrl } });
		expect(json).toEqual([{ name: 'topic' }]);
	});

	it('may be refused with a long text: 10 MB become a short message', async () => {
		const { baseUrl } = await start((_request, response) => {
			response.writeHead(422, HEADERS).end(JSON.stringify({ detail: 'x'.repeat(10_000_000) }));
		});
		const { error } = await runCrew(KICKOFF, { credential: { baseUrl } });
		expect(error?.message).toBe('The crew did not accept the values');
		expect(error?.description?.length).toBeLessThan(1_000);
	});
});

describe('a cancelled execution', () => {
	it('still awaits the answer of an open kickoff', async () => {
		const cancel = new AbortController();
		const ended = new Promise<boolean>((resolve) => {
			void start((_request, response) => {
				response.on('finish', () => {
					resolve(true);
				});
				response.on('close', () => {
					resolve(response.writableFinished);
				});
				cancel.abort();
				setTimeout(() => response.writeHead(200, HEADERS).end('{"kickoff_id":"a"}'), 100);
			}).then(async ({ baseUrl }) => {
				await runCrew(KICKOFF, { credential: { baseUrl }, cancel: cancel.signal });
			});
		});
		expect(await ended).toBe(true);
	});
});
