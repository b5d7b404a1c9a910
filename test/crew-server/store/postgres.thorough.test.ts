import { openStore } from '../../../crew-server/src/store/openStore';
import { addressOf } from '../../../crew-server/src/store/postgres/openPostgres';
import type { ServerIdentity } from '../../../crew-server/src/store/serverTable';
import {
	LEASE_TIME,
	type Claimed,
	type Store,
	type StoreChange,
} from '../../../crew-server/src/store/store';
import { until } from '../support/until';
import { keepsTheContract } from './support/contract';
import { filesKeepTheContract } from './support/fileContract';
import { after, begun, commit, complete, kickOff, stored } from './support/orders';
import { ownDeployment } from './support/ownDeployment';
import type { OpenTested } from './support/tested';
import { TcpProxy } from './support/tcpProxy';

const own = ownDeployment();
let deployments = 0;

const openTested: OpenTested = async (settings) => {
	deployments += 1;
	const database = { url: own.postgres.url, deployment: `contract${deployments}` };
	const { schema } = addressOf(database);
	const opened = (server?: ServerIdentity) => openStore({ ...settings, database, server });
	let store = await opened();
	// The clock of the database moves only when the test moves it.
	await own.postgres.execute(
		`CREATE TABLE ${schema}.test_clock AS SELECT ${schema}.crew_now() AS now;
		CREATE OR REPLACE FUNCTION ${schema}.crew_now() RETURNS BIGINT LANGUAGE sql STABLE
			AS 'SELECT now FROM ${schema}.test_clock'`,
	);
	return {
		get store() {
			return store;
		},
		pass: async (milliseconds) => {
			await own.postgres.execute(`UPDATE ${schema}.test_clock SET now = now + ${milliseconds}`);
		},
		reopen: async (server) => {
			await store.close();
			store = await opened(server);
		},
		close: async () => {
			await store.close();
			await own.postgres.execute(`DROP SCHEMA ${schema} CASCADE`);
		},
	};
};
keepsTheContract(openTested);
filesKeepTheContract(openTested);

it('does not prolong waits and leases if the clock is set back', async () => {
	const tested = await openTested();
	const { store } = tested;
	const callbacks = { crewWebhookUrl: 'http://127.0.0.1:1/' };
	await complete(store, await kickOff(store, { callbacks }));
	const [callback] = await store.claimCallbacks(9, []);
	await store.settle(callback!, { at: 1, status: 500 }, { fate: 'due', after: 10_000 });
	const { key } = await kickOff(store);
	await store.claim('a', 1);
	await tested.pass(-3_600_000);
	await store.renew('b');
	await tested.pass(10_000);
	expect(await store.claimCallbacks(9, [])).toMatchObject([{ id: callback?.id }]);
	await tested.pass(LEASE_TIME - 10_001);
	expect(await store.claim('b', 1)).toEqual([]);
	await tested.pass(1);
	expect(await store.claim('b', 1)).toMatchObject([{ key, wasInterrupted: true }]);
	await tested.close();
});

describe('several servers', () => {
	let proxy: TcpProxy;
	beforeEach(() => {
		proxy = new TcpProxy(own.postgres.port);
	});
	afterEach(() => proxy.close());

	/** A store that connects through the proxy. */
	async function openBehindProxy(): Promise<Store> {
		const url = new URL(own.postgres.url);
		url.port = String(await proxy.listen());
		return await own.open({ url: url.href });
	}

	it('that start at the same time have one schema', async () => {
		const stores = await Promise.all([own.open(), own.open(), own.open(), own.open()] as const);
		const { execution } = await kickOff(stores[0]);
		for (const store of stores) expect(await store.list(9)).toEqual([execution]);
	});

	it('take any notice that is none of theirs as a sign that anything may have changed', async () => {
		const { schema } = own;
		const store = await own.open();
		let heard = 0;
		store.onChange((change) => {
			if (!change) heard += 1;
		});
		for (const notice of ['', 'garbage', 'null', '{"changes":7}', '{"changes":[null]}']) {
			heard = 0;
			await until(async () => {
				await own.postgres.execute(`SELECT pg_notify('${schema}', '${notice}')`);
				return heard > 0;
			});
		}
		await kickOff(store);
	});

	it('are notified of changes by others, even of many at once', async () => {
		const [one, other] = [await own.open(), await own.open()];
		const heard = new Map<string, StoreChange>();
		other.onChange((change) => change && heard.set(change.kickoffId, change));
		await until(async () => {
			await kickOff(one);
			return heard.size > 0;
		});
		const { key, version, execution } = await kickOff(one);
		const { kickoffId } = execution;
		await until(() => heard.has(kickoffId));
		expect(heard.get(kickoffId)).toEqual({
			...{ key, version, kickoffId, before: kickoffId, state: 'queued' },
			hasCallbacks: false,
		});
		const many = Array.from({ length: 200 }, () => begun());
		await Promise.all(many.map((change) => one.create(change)));
		await until(() => many.every((change) => heard.has(change.execution.kickoffId)));
	});

	it('never get the same execution', async () => {
		const stores = await Promise.all([own.open(), own.open(), own.open()]);
		const all = await Promise.all(Array.from({ length: 60 }, () => kickOff(stores[0])));
		const claims = await Promise.all(
			stores.flatMap((store, index) =>
				Array.from({ length: 10 }, () => store.claim(`worker${index}`, 3)),
			),
		);
		const keys = claims.flat().map(({ key }) => key);
		expect(new Set(keys).size).toBe(keys.length);
		const left = await stores[0].claim('worker0', 100);
		expect([...keys, ...left.map(({ key }) => key)].toSorted((a, b) => a - b)).toEqual(
			all.map(({ key }) => key).toSorted((a, b) => a - b),
		);
	});

	it('start one execution with one key, no matter which one gets the kickoff', async () => {
		const stores = await Promise.all([own.open(), own.open(), own.open()] as const);
		const once = { key: 'order-7', digest: 'a' };
		const outcomes = await Promise.all(
			[...stores, ...stores].map((store) => store.create(begun(), once)),
		);
		const [only, ...others] = await stores[0].list(9);
		expect(others).toEqual([]);
		const { kickoffId } = only!;
		expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
		expect(outcomes.filter(Boolean)).toEqual(Array.from({ length: 5 }, () => ({ kickoffId })));
	});

	it('never run more than the fleet’s limit', async () => {
		const open = () => own.open({ fleetParallel: 10 });
		const stores = await Promise.all([open(), open(), open()] as const);
		await Promise.all(Array.from({ length: 40 }, () => kickOff(stores[0])));
		const claimed: Claimed[] = [];
		for (let round = 0; round < 10; round++) {
			const claims = await Promise.all(
				[...stores, ...stores].map((store, index) => store.claim(`worker${index % 3}`, 7)),
			);
			claimed.push(...claims.flat());
			expect(claimed).toHaveLength(10 + 3 * round);
			expect(await stores[0].count('running')).toBe(10);
			const done = claimed.slice(-3);
			await Promise.all(done.map((one) => complete(stores[1], one)));
		}
	});

	it('change an execution only from its current version, no matter which process does', async () => {
		const [one, other] = [await own.open(), await own.open()];
		const first = await kickOff(one);
		const outcomes = await Promise.all(
			[one, other, one, other].map((store) => store.commit(first, after(first, { type: 'stop' }))),
		);
		expect(outcomes.filter((outcome) => outcome === 'outdated')).toHaveLength(3);
	});

	it('call back in order, no matter which process writes and which sends', async () => {
		const stores = [await own.open(), await own.open()] as const;
		const callbacks = { stepWebhookUrl: 'http://127.0.0.1:1/' };
		let stored = await kickOff(stores[0], { callbacks });
		const sent: string[] = [];
		let isWriting = true;
		const send = async (store: Store) => {
			while (isWriting || sent.length < 60) {
				for (const callback of await store.claimCallbacks(9, [])) {
					sent.push(callback.body['prompt'] as string);
					await store.settle(callback, { at: 1, status: 200 }, { fate: 'delivered' });
				}
			}
		};
		const sending = stores.map(send);
		for (let index = 0; index < 60; index++) {
			const step = { prompt: String(index), thought: '', result: '' };
			stored = await commit(stores[index % 2 ? 1 : 0], stored, [{ type: 'step', step }]);
		}
		isWriting = false;
		await Promise.all(sending);
		expect(sent).toEqual(Array.from({ length: 60 }, (_, index) => String(index)));
	});

	it('keep an address with a character that PostgreSQL does not accept', async () => {
		const store = await own.open();
		await complete(store, await kickOff(store, { callbacks: { crewWebhookUrl: 'http://a/\0' } }));
		expect(await store.claimCallbacks(9, [])).toMatchObject([{ url: 'http://a/%00' }]);
		expect(await store.get('\0')).toBeUndefined();
	});

	it.each([
		['was made if only the answer to its commit was lost', 'answer_lost'],
		['was not made if its commit did not arrive', 'not_sent'],
	] as const)('know that a write %s', async (_, fault) => {
		const store = await openBehindProxy();
		const change = begun();
		proxy.commitFault = fault;
		const taken = store.create(change).then(
			() => true,
			() => false,
		);
		expect(await taken).toBe(fault === 'answer_lost');
		if (fault === 'not_sent') await store.create(change);
		expect(await store.list(9)).toHaveLength(1);
		const before = await stored(store, change.execution.kickoffId);
		proxy.commitFault = fault;
		const note = { type: 'event', name: 'note', data: {} } as const;
		const next = store.commit(before, after(before, note)).catch(() => undefined);
		expect(await next).toEqual(
			fault === 'answer_lost' ? expect.objectContaining({ version: 2 }) : undefined,
		);
		expect(await store.events(change.execution.kickoffId, 0, 9)).toHaveLength(
			fault === 'answer_lost' ? 2 : 1,
		);
	});

	it('say that the database is away, and continue once it is back', async () => {
		const store = await openBehindProxy();
		const first = await kickOff(store);
		let missed = 0;
		store.onChange((change) => {
			if (!change) missed += 1;
		});
		proxy.cut();
		// Even if nobody writes.
		await until(() => store.problem !== undefined);
		await expect(kickOff(store)).rejects.toMatchObject({ name: 'StoreUnavailable' });
		await expect(store.list(1)).rejects.toMatchObject({ name: 'StoreUnavailable' });
		proxy.open();
		expect(await store.list(9)).toEqual([first.execution]);
		// Changes that others made meanwhile were not notified.
		await until(() => missed > 0);
	});

	it('look for changes every two seconds, even while the network is silent', async () => {
		const store = await openBehindProxy();
		let missed = 0;
		proxy.stall();
		store.onChange((change) => {
			if (!change) missed += 1;
		});
		// A single check waits for up to ten seconds.
		await until(() => missed >= 3, 9_000);
		proxy.flow();
	});

	it('are not blocked for long by one that hangs in the middle of a write', async () => {
		const store = await own.open();
		const first = await kickOff(store);
		const still = await own.postgres.connect(own.schema);
		await still.query('BEGIN');
		await still.query('UPDATE executions SET version = 9 WHERE key = $1', [first.key]);
		await commit(store, first, [{ type: 'stop' }]);
		await still.end().catch(() => undefined);
	});

	it('refuse the tables of a newer one', async () => {
		await own.open();
		await own.postgres.execute(`UPDATE ${own.schema}.schema_version SET version = 1000`);
		await expect(own.open()).rejects.toThrow(
			'The database cannot be used: it was written by a newer crew server: update this one.',
		);
	});

	it('say why a database cannot be used', async () => {
		await expect(own.open({ url: 'postgres://127.0.0.1:1/x' })).rejects.toThrow(
			/cannot be used: .*ECONNREFUSED/,
		);
		const url = own.postgres.url.replace(/postgres$/, 'other');
		await expect(own.open({ url })).rejects.toThrow(
			'PostgreSQL says "database "other" does not exist"',
		);
	});
});
