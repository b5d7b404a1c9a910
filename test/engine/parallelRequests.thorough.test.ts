import nock from 'nock';
import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { runCrew, type CrewNode, type EngineOptions } from '../support/engine';
import { itemsFrom, kickoff } from '../support/manyKickoffs';

beforeEach(() => {
	nock.enableNetConnect('127.0.0.1');
});

let crew: CrewServer;
beforeEach(async () => {
	// Like the platform's crews, it keeps no keys of kickoffs.
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

it.each([
	['is found', undefined],
	['was given and is too high', 30],
])(
	'every item is started once if the number %s and the crew answers 429 beyond 20',
	async (_what, maxParallel) => {
		crew.setFaults(['429-beyond=20@kickoff', 'latency=50@kickoff']);
		const { json } = await run(kickoff({ maxParallel }), 120);
		const ids = new Set(json.map(({ kickoff_id: id }) => id));
		expect([ids.size, crew.started(), new Set(await topics()).size]).toEqual([120, 120, 120]);
		if (maxParallel === undefined) expect(crew.requests().length).toBeLessThanOrEqual(140);
	},
);

it('refused requests are repeated after the time that the crew asked to wait', async () => {
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

it('a cancelled execution leaves its place to others, and sends nothing more', async () => {
	crew.setFaults(['latency=100@kickoff']);
	const cancel = new AbortController();
	const long = run(kickoff(), 300, { cancel: cancel.signal });
	while (crew.requests().length < 10) await new Promise(setImmediate);
	const short = run(kickoff(), 30);
	cancel.abort();
	await long;
	const sent = crew.requests().length;
	expect((await short).json).toHaveLength(30);
	// No more than what was open, and the thirty.
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
