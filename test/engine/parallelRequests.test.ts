import type { IncomingMessage, ServerResponse } from 'node:http';
import nock from 'nock';
import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { OPERATIONS } from '../support/crewOperations';
import { runCrew, type CrewNode, type EngineOptions } from '../support/engine';
import { inFastTime, VERY_FAST } from '../support/fastTime';
import { startServer, type StrangeServer } from '../support/strangeServer';

type Options = Partial<Record<string, number | boolean>>;

const kickoff = (options: Options = {}, settings: CrewNode['settings'] = {}): CrewNode => ({
	parameters: { ...OPERATIONS.kickoff, options: { n8nMeta: false, ...options } },
	settings,
});
const itemsFrom = (length: number) =>
	Array.from({ length }, (_, n) => ({ inputs: { topic: `Bees ${n}` } }));

beforeEach(() => {
	nock.enableNetConnect('127.0.0.1');
});

describe('with a crew server', () => {
	let crew: CrewServer;
	beforeEach(async () => {
		// As the platform's crews, it keeps no keys of kickoffs.
		const aspects = { kickoffKeys: 'ignored' } as const;
		crew = await startCrewServer({ rememberedRequests: 2_000, aspects });
	});
	afterEach(async () => {
		await crew.close();
	});

	const run = async (node: CrewNode, count: number, options: EngineOptions = {}) => {
		const credential = { baseUrl: crew.url, accessToken: crew.accessToken };
		return await runCrew(node, { items: itemsFrom(count), credential, ...options });
	};
	const topics = async () => (await crew.executions()).map(({ inputs }) => inputs['topic']);

	it.each<[string, Options]>([
		['is found', {}],
		['was given and is too high', { maxParallel: 30 }],
	])(
		'every item is started once where the number %s and the crew answers 429 beyond 20',
		async (_what, options) => {
			crew.setFaults(['429-beyond=20@kickoff', 'latency=50@kickoff']);
			const { json } = await run(kickoff(options), 120);
			const ids = new Set(json.map(({ kickoff_id: id }) => id));
			expect([ids.size, crew.started(), new Set(await topics()).size]).toEqual([120, 120, 120]);
			if (options.maxParallel === undefined)
				expect(crew.requests().length).toBeLessThanOrEqual(140);
		},
	);

	it('what is refused comes again after the time that the crew asked to wait', async () => {
		crew.setFaults(['429=2@kickoff+5*3', 'latency=20@kickoff']);
		const begin = Date.now();
		const { json } = await run(kickoff(), 20);
		expect(new Set(json.map(({ kickoff_id: id }) => id)).size).toBe(20);
		expect(crew.started()).toBe(20);
		expect(Date.now() - begin).toBeGreaterThanOrEqual(2_000);
		expect(crew.requests().filter(({ status }) => status === 429)).toHaveLength(3);
	});

	it('few items are unclear if a gateway answers 502 beyond 30, and none is sent twice', async () => {
		crew.setFaults(['502-beyond=30@kickoff', 'latency=100@kickoff']);
		const { json } = await run(kickoff({}, { onError: 'continueRegularOutput' }), 250);
		const unclear = json.filter(({ error }) => error !== undefined);
		expect(unclear.length).toBeLessThanOrEqual(5);
		expect(crew.requests().filter(({ method }) => method === 'POST')).toHaveLength(250);
		expect(crew.started()).toBe(250 - unclear.length);
	});

	it('one that is cancelled leaves its place to others, and sends nothing more', async () => {
		crew.setFaults(['latency=100@kickoff']);
		const cancel = new AbortController();
		const long = run(kickoff(), 300, { cancel: cancel.signal });
		while (crew.requests().length < 10) await new Promise(setImmediate);
		const short = run(kickoff(), 30);
		cancel.abort();
		await long;
		const sent = crew.requests().length;
		expect((await short).json).toHaveLength(30);
		// No more than what was under way, and the thirty.
		expect(sent).toBeLessThan(100);
		expect(crew.requests().length).toBe(crew.started());
	});

	it('an execution with one item does not wait for one with many', async () => {
		crew.setFaults(['latency=50@kickoff']);
		let isLongOver = false;
		const long = run(kickoff(), 200).finally(() => {
			isLongOver = true;
		});
		while (crew.requests().length < 10) await new Promise(setImmediate);
		const { json } = await run(kickoff(), 1);
		expect(json).toHaveLength(1);
		expect(isLongOver).toBe(false);
		await long;
	});
});

describe('with a server that counts', () => {
	let server: StrangeServer | undefined;
	let [underWay, most, taken] = [0, 0, 0];

	type Treat = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

	/** Takes everything `latency` milliseconds after `treat` is through with it, unless that has answered it. */
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

	it('a number that was given holds for all executions together', async () => {
		await serve();
		await Promise.all([1, 2, 3].map(async () => await run(kickoff({ maxParallel: 4 }), 20)));
		expect([taken, most]).toEqual([60, 4]);
	});

	it('kickoffs do not wait for reads, which have a number of their own', async () => {
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

	it('nothing that waits is sent once another item has stopped the workflow', async () => {
		await serve((_request, response) => {
			if (server!.requests.length > 12) response.writeHead(401).end();
		});
		const { error } = await run(kickoff(), 300);
		expect(error?.httpCode).toBe('401');
		expect(server!.requests.length).toBeLessThan(12 + 100);
		expect(underWay).toBe(0);
	});

	it('a number that was given holds for kickoffs and reads together', async () => {
		await serve(undefined, 50);
		const options = { maxParallel: 3 };
		const reads = { parameters: { ...OPERATIONS.getStatus, options } };
		await Promise.all([run(reads, 20), run(kickoff(options), 20)]);
		expect(most).toBe(3);
	});

	describe('a kickoff that was refused and waits to be sent again', () => {
		/** When all five have come, refuses the first for a second; what comes of the others is up to `treat`. */
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
});
