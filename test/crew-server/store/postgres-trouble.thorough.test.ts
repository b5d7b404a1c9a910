import type { Store } from '../../../crew-server/src/store/store';
import { until } from '../support/until';
import { after, begun, commit, complete, kickOff } from './support/orders';
import { ownDeployment } from './support/ownDeployment';
import { startPgBouncer, type PgBouncer, type PoolMode } from './support/pgBouncer';
import { TcpProxy } from './support/tcpProxy';

/** Trouble with a database that servers use, and how they handle it. */

const own = ownDeployment();
const bouncers: PgBouncer[] = [];
afterEach(async () => {
	await Promise.all(bouncers.splice(0).map((bouncer) => bouncer.stop()));
});

async function bouncer(poolMode: PoolMode): Promise<PgBouncer> {
	const started = await startPgBouncer(own.postgres.port, poolMode);
	bouncers.push(started);
	return started;
}

const away = (problem: string) => ({
	name: 'StoreUnavailable',
	message: expect.stringContaining(problem) as string,
});

/** Every kind of write, with its expected result. */
const WRITES: Array<[string, (store: Store) => Promise<() => Promise<unknown>>, unknown]> = [
	['a kickoff', (store) => Promise.resolve(() => store.create(begun())), undefined],
	[
		'a kickoff with a key',
		(store) => Promise.resolve(() => store.create(begun(), { key: 'k', digest: 'd' })),
		undefined,
	],
	[
		'a stop',
		async (store) => {
			const first = await kickOff(store);
			return () => store.commit(first, after(first, { type: 'stop' }));
		},
		expect.objectContaining({ version: 2 }),
	],
	[
		'an answer',
		async (store) => {
			const first = await kickOff(store);
			const asked = await commit(store, first, [
				{ type: 'question', taskId: 'research', output: 'draft' },
			]);
			const answer = { type: 'answer', taskId: 'research', feedback: '', isApprove: true } as const;
			return () => store.commit(asked, after(asked, { ...answer, callbacks: {} }));
		},
		expect.objectContaining({ version: 3 }),
	],
	[
		'a claim',
		async (store) => {
			await kickOff(store);
			return () => store.claim('a', 1);
		},
		[expect.objectContaining({ version: 2, lease: { worker: 'a', epoch: 1 } })],
	],
	[
		'a worker’s report',
		async (store) => {
			await kickOff(store);
			const [claimed] = await store.claim('a', 1);
			const next = after(claimed!, { type: 'task_begun', taskId: 'research' });
			return () => store.commit(claimed!, next, claimed!.lease);
		},
		expect.objectContaining({ version: 3 }),
	],
	[
		'a renewal',
		async (store) => {
			const { key } = await kickOff(store);
			await store.claim('a', 1);
			return () => store.renew('a').then((kept) => [...kept.keys()].includes(key));
		},
		true,
	],
	[
		'a delivery',
		async (store) => {
			const callbacks = { crewWebhookUrl: 'http://127.0.0.1:1/' };
			await complete(store, await kickOff(store, { callbacks }));
			return async () => {
				const [callback] = await store.claimCallbacks(1, []);
				await store.settle(callback!, { at: 1, status: 200 }, { fate: 'delivered' });
				return (await store.callbacks(9)).map(({ fate }) => fate);
			};
		},
		['delivered'],
	],
];

it.each(WRITES)('%s happens once if the answer to its COMMIT is lost', async (_, prepare, done) => {
	const proxy = new TcpProxy(own.postgres.port);
	const store = await own.open({
		url: `postgres://postgres@127.0.0.1:${await proxy.listen()}/postgres`,
	});
	const write = await prepare(store);
	proxy.commitFault = 'answer_lost';
	expect(await write()).toEqual(done);
	expect(proxy.commitFault).toBeUndefined();
	expect(await store.list(9)).toHaveLength(1);
	await proxy.close();
});

it('writes to the machine that replaces a read-only one', async () => {
	const store = await own.open();
	const first = await kickOff(store);
	// This does not affect existing connections.
	const only = async (isReadOnly: boolean) => {
		await own.postgres.execute(
			`ALTER ROLE postgres SET default_transaction_read_only TO ${isReadOnly}`,
		);
	};
	await only(true);
	const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crew-server'`;
	await own.postgres.execute(end);
	await until(() =>
		kickOff(store).then(
			() => false,
			(error: unknown) => (error as Error).message.includes('read-only'),
		),
	);
	await expect(kickOff(store)).rejects.toMatchObject(away('read-only transaction'));
	expect(store.problem).toContain('read-only transaction');
	expect(await store.list(9)).toEqual([first.execution]);
	await only(false);
	await until(() => store.problem === undefined);
	await complete(store, first);
});

it('says that its tables are gone, and continues once they are back', async () => {
	const store = await own.open();
	const first = await kickOff(store);
	await own.postgres.execute(`ALTER SCHEMA ${own.schema} RENAME TO elsewhere`);
	await expect(kickOff(store)).rejects.toMatchObject(away('does not exist'));
	await expect(store.list(9)).rejects.toMatchObject(away('does not exist'));
	expect(store.problem).toContain('does not exist');
	await own.postgres.execute(`ALTER SCHEMA elsewhere RENAME TO ${own.schema}`);
	await until(() => store.problem === undefined);
	await complete(store, first);
});

it('leaves no connections waiting while somebody locks its tables for a long time', async () => {
	const store = await own.open();
	const first = await kickOff(store);
	const locking = await own.postgres.connect(own.schema);
	await locking.query(`SET idle_in_transaction_session_timeout TO 0; BEGIN`);
	await locking.query('LOCK TABLE executions');
	for (let count = 1; count <= 2; count++) {
		await expect(kickOff(store)).rejects.toMatchObject(away('timeout'));
	}
	const left = await own.postgres.execute(
		`SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
	);
	expect(left).toEqual([]);
	expect(store.problem).toBeDefined();
	await locking.query('COMMIT');
	await locking.end();
	await until(() => store.problem === undefined);
	await complete(store, first);
});

it('works through a PgBouncer that pools sessions, and refuses one that pools transactions', async () => {
	const sessions = await bouncer('session');
	const [store, other] = [await own.open(sessions), await own.open(sessions)];
	const heard = new Set<string>();
	other.onChange((change) => change && heard.add(change.kickoffId));
	const { execution } = await kickOff(store);
	await until(async () => {
		await complete(store, await kickOff(store));
		return heard.size > 0;
	});
	expect((await other.get(execution.kickoffId))?.execution).toEqual(execution);
	const transactions = await bouncer('transaction');
	await expect(own.open(transactions)).rejects.toThrow(
		'The database cannot be used: a pooler such as PgBouncer gives each transaction another session: let it pool sessions (pool_mode=session).',
	);
});

it('refuses a database whose encoding lacks characters', async () => {
	await own.postgres.execute(
		`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
	);
	const url = own.postgres.url.replace(/postgres$/, 'latin');
	await expect(own.open({ url })).rejects.toThrow(
		'The database cannot be used: its encoding is LATIN1, which lacks characters: create one with the encoding UTF8.',
	);
});
