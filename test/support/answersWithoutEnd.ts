import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import nock from 'nock';
import { OPERATION_NAMES, OPERATIONS } from './crewOperations';
import { CREDENTIAL, runCrew } from './engine';
import { inFastTime, VERY_FAST } from './fastTime';
import { startServer, type StrangeServer } from './strangeServer';
import { testCredential } from './testCredential';

type Treat = (request: IncomingMessage, response: ServerResponse, socket: Socket) => void;

const HEADERS = { 'Content-Type': 'application/json' };
const MEGABYTE = 1024 * 1024;
const TOO_LARGE = 'The crew’s server sends more than 64 MB in one answer';
const TOO_MANY = 'The crew’s answer contains more values than n8n reads';
const NO_CREW = 'What answers at this address is not a crew: it sent something else';

let server: StrangeServer;

/** Starts a server. `closed` has a promise for each request, which resolves when its connection to n8n has closed. */
async function start(treat: Treat): Promise<{ baseUrl: string; closed: Array<Promise<unknown>> }> {
	const closed: Array<Promise<unknown>> = [];
	server = await startServer((request, response, socket) => {
		closed.push(once(response, 'close'));
		treat(request, response, socket);
	});
	return { baseUrl: server.baseUrl, closed };
}

/** Sends data as long as n8n reads. */
const endless: Treat = (_request, response) => {
	response.writeHead(200, HEADERS);
	const chunk = Buffer.alloc(MEGABYTE, ' ');
	const write = () => {
		while (!response.destroyed && response.write(chunk));
	};
	response.on('drain', write);
	write();
};

const bomb = (encoding: string, body: Buffer): Treat => {
	return (_request, response) => {
		response.writeHead(200, { ...HEADERS, 'Content-Encoding': encoding }).end(body);
	};
};

const spaces = Buffer.alloc(100 * MEGABYTE, ' ');
const gzipBomb = gzipSync(spaces);
/** With a low quality, which takes a hundredth of the time. */
const brotliBomb = brotliCompressSync(spaces, {
	params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
});

/** Sends bytes so often that n8n's limit for the pause between two bytes is never reached. */
const drip = (socket: Socket | ServerResponse, bytes: string) => {
	const dripping = setInterval(() => socket.write(bytes), 500);
	socket.on('close', () => {
		clearInterval(dripping);
	});
};

/** Answers that are too much or make no sense, and the message about them. */
const REFUSED: Array<[string, Treat, string]> = [
	['goes on without end', endless, TOO_LARGE],
	['is a gzip bomb', bomb('gzip', gzipBomb), TOO_LARGE],
	['is a Brotli bomb', bomb('br', brotliBomb), TOO_LARGE],
	[
		'announces more than n8n reads',
		(_request, response) => {
			response.writeHead(200, { ...HEADERS, 'Content-Length': 64 * MEGABYTE + 1 }).write('{');
		},
		TOO_LARGE,
	],
	[
		'has millions of values',
		(_request, response) => response.writeHead(200, HEADERS).end(`[${'[],'.repeat(2_000_000)}0]`),
		TOO_MANY,
	],
	[
		'is nested without end',
		(_request, response) => response.writeHead(200, HEADERS).end('{"a":'.repeat(1_000_000)),
		TOO_MANY,
	],
	[
		'is longer than announced',
		(_request, _response, socket) => {
			socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{"kickoff_id":"a"}');
		},
		NO_CREW,
	],
	[
		'is half of JSON',
		(_request, response) => response.writeHead(200, HEADERS).end('{"kickoff_id":'),
		NO_CREW,
	],
];

/** Answers that do not arrive in time. */
const LATE: Array<[string, Treat]> = [
	[
		'drips',
		(_request, response) => {
			drip(response.writeHead(200, HEADERS), ' ');
		},
	],
	[
		'drips its headers',
		(_request, _response, socket) => {
			socket.write('HTTP/1.1 200 OK\r\n');
			drip(socket, 'X-More: 1\r\n');
		},
	],
	[
		'is shorter than announced, and does not continue',
		(_request, response) => response.writeHead(200, { 'Content-Length': 100 }).write('{"a":1'),
	],
];

/** Everything that can get such an answer: the operations, and the test of the credential. */
export const ASKERS = [...OPERATION_NAMES, 'credential'] as const;
export type Asker = (typeof ASKERS)[number];

/** The message for a person who runs this with the server at `baseUrl`. */
async function ask(asker: Asker, baseUrl: string) {
	if (asker === 'credential') {
		const { message } = await testCredential({ ...CREDENTIAL, baseUrl });
		return { message };
	}
	const { error } = await runCrew({ parameters: OPERATIONS[asker] }, { credential: { baseUrl } });
	return { message: error?.message, description: error?.description };
}

/**
 * The tests of answers that are too much, make no sense or do not arrive.
 *
 * @param nextAskers returns those to try with the next answer
 */
export function testAnswers(nextAskers: () => readonly Asker[]): void {
	beforeEach(() => {
		nock.enableNetConnect('127.0.0.1');
	});

	afterEach(async () => {
		await server.close();
	});

	describe.each(REFUSED)('an answer that %s', (_what, treat, message) => {
		it.each(nextAskers())('makes %s end at once, along with its connection', async (asker) => {
			const { baseUrl, closed } = await start(treat);
			const told = await ask(asker, baseUrl);
			// The credential test also has the advice in its message.
			if (asker === 'credential') expect(told.message?.startsWith(message)).toBe(true);
			else expect(told.message).toBe(message);
			await Promise.all(closed);
			if (asker !== 'kickoff' && asker !== 'resume') return;
			expect(closed).toHaveLength(1);
			expect(told.description).toContain('all the same, so this item is not sent again');
		});
	});

	describe.each(LATE)('an answer that %s', (what, treat) => {
		it.each(nextAskers())(
			'makes %s end when the time is up, along with its connection',
			async (asker) => {
				const { baseUrl, closed } = await start(treat);
				const { message } = await inFastTime(async () => await ask(asker, baseUrl), VERY_FAST);
				expect(message).toMatch(/^The crew’s server did not answer within (20|60) s/);
				// n8n gives the credential test no way to end a request whose answer has not begun.
				if (asker === 'credential' && what === 'drips its headers') return;
				await Promise.all(closed);
			},
		);
	});

	describe('a large answer', () => {
		it('is read up to 64 MB', async () => {
			const result = 'x'.repeat(63 * MEGABYTE);
			const { baseUrl } = await start((_request, response) => {
				response.writeHead(200, HEADERS).end(JSON.stringify({ status: 'completed', result }));
			});
			const { json } = await runCrew(
				{ parameters: OPERATIONS.getStatus },
				{ credential: { baseUrl } },
			);
			expect((json[0]?.output as string).length).toBe(result.length);
		});

		it('is not requested again', async () => {
			const { baseUrl } = await start(endless);
			await runCrew({ parameters: OPERATIONS.getInputs }, { credential: { baseUrl } });
			expect(server.requests).toHaveLength(1);
		});
	});
}
