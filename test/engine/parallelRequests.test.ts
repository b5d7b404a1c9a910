import type { IncomingMessage, ServerResponse } from 'node:http';
import nock from 'nock';
import { OPERATIONS } from '../support/crewOperations';
import { runCrew, type CrewNode } from '../support/engine';
import { inFastTime, VERY_FAST } from '../support/fastTime';
import { itemsFrom, kickoff } from '../support/manyKickoffs';
import { startServer, type StrangeServer } from '../support/strangeServer';

beforeEach(() => {
	nock.enableNetConnect('127.0.0.1');
});

let server: StrangeServer | undefined;
let [underWay, most, taken] = [0, 0, 0];

type Treat = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Answers everything `latency` milliseconds after `treat` has finished, unless that has answered. */
const serve = async (treat: Treat = () => undefined, latency = 20) => {
	[underWay, most, taken] = [0, 0, 0];
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		await treat(request, response);
		if (response.writableEnded) return;
		setTimeout(() => {
			response.end(JSON.stringify({ kickoff_id: `id-${taken++}`, inputs: [] }));
		}, latency);
	};
	server = await startServer((request, response) => {
		most = Math.max(most, ++underWay);
		response.on('close', () => underWay--);
		void answer(request, response);
	});
};
afterEach(async () => {
	await server?.close();
});

const run = async (node: CrewNode, count: number) =>
	await runCrew(node, {
		items: itemsFrom(count),
		credential: { baseUrl: server!.baseUrl },
	});

it('more than 10 are sent at once if that is faster, and no more than 100', async () => {
	// Long enough for the crew, and not this machine, to be what takes the time.
	await serve(undefined, 300);
	await run(kickoff(), 300);
	expect(taken).toBe(300);
	expect(most).toBeGreaterThan(10);
	expect(most).toBeLessThanOrEqual(100);
});

it('a given number applies to all executions together', async () => {
	await serve();
	await Promise.all([1, 2, 3].map(async () => await run(kickoff({ maxParallel: 4 }), 20)));
	expect([taken, most]).toEqual([60, 4]);
});

it('kickoffs do not wait for reads, which have their own number', async () => {
	let noteKickoff = () => {};
	const kickoffHasCome = new Promise<void>((resolve) => (noteKickoff = resolve));
	await serve(async ({ method }) => {
		if (method === 'POST') noteKickoff();
		else await kickoffHasCome;
	});
	const reads = run({ parameters: OPERATIONS.getInputs }, 15);
	while (underWay < 10) await new Promise(setImmediate);
	await Promise.all([reads, run(kickoff(), 15)]);
	expect(taken).toBe(30);
});

it('no waiting request is sent once another item has stopped the workflow', async () => {
	await serve((_request, response) => {
		if (server!.requests.length > 12) response.writeHead(401).end();
	});
	const { error } = await run(kickoff(), 300);
	expect(error?.httpCode).toBe('401');
	expect(server!.requests.length).toBeLessThan(12 + 100);
	expect(underWay).toBe(0);
});

it('a given number applies to kickoffs and reads together', async () => {
	await serve(undefined, 50);
	const options = { maxParallel: 3 };
	const reads = { parameters: { ...OPERATIONS.getStatus, options } };
	await Promise.all([run(reads, 20), run(kickoff(options), 20)]);
	expect(most).toBe(3);
});

describe('a kickoff that was refused and waits to be sent again', () => {
	/** When all five have come, refuses the first for a second; `treat` handles the others. */
	const refuseFirst =
		(treat: Treat) => async (request: IncomingMessage, response: ServerResponse) => {
			const isFirst = server!.requests.length === 1;
			while (server!.requests.length < 5) await new Promise(setImmediate);
			if (isFirst) response.writeHead(429, { 'retry-after': '1' }).end();
			else await treat(request, response);
		};

	it('is not sent once another item has stopped the workflow', async () => {
		await serve(
			refuseFirst(async (_request, response) => {
				await new Promise((resolve) => setTimeout(resolve, 100));
				response.writeHead(401).end();
			}),
		);
		const { error } = await run(kickoff(), 5);
		expect(error).toBeDefined();
		expect(server!.requests).toHaveLength(5);
	});

	it('is not sent once the execution was cancelled', async () => {
		const cancel = new AbortController();
		await serve(
			refuseFirst(() => {
				setTimeout(() => {
					cancel.abort();
				}, 100);
			}),
		);
		await runCrew(kickoff(), {
			items: itemsFrom(5),
			credential: { baseUrl: server!.baseUrl },
			cancel: cancel.signal,
		});
		expect(server!.requests).toHaveLength(5);
		expect(taken).toBe(4);
	});
});

it('is sent again as often as the crew asks to wait a minute', async () => {
	await serve((_request, response) => {
		const { length } = server!.requests;
		if (length > 1 && length < 6) response.writeHead(429, { 'retry-after': '60' }).end();
	});
	const { error } = await inFastTime(async () => await run(kickoff(), 2), VERY_FAST);
	expect(error).toBeUndefined();
	expect(server!.requests).toHaveLength(6);
});

it('is given up after ten minutes of nothing but 429', async () => {
	await serve((_request, response) => {
		if (taken > 0) response.writeHead(429).end();
	});
	const { error, elapsed } = await inFastTime(async () => {
		const started = Date.now();
		const result = await run(kickoff(), 40);
		return { ...result, elapsed: Date.now() - started };
	}, VERY_FAST);
	expect(error?.message).toBe('The crew receives too many requests');
	expect(elapsed).toBeGreaterThan(600_000);
	expect(elapsed).toBeLessThan(700_000);
	// One now and then.
	expect(server!.requests.length).toBeLessThan(150);
});
