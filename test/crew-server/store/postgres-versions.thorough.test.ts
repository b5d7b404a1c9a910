import { bringUpToDate } from '../../../crew-server/src/store/postgres/migrate';
import { MIGRATIONS } from '../../../crew-server/src/store/schema';
import { until } from '../support/until';
import { begun, commit, complete, kickOff, stored } from './support/orders';
import { ownDeployment } from './support/ownDeployment';

/** Servers of several versions on one database. The newest one migrates the tables. */

const own = ownDeployment();

/** Makes the tables of an earlier version. */
async function makeTables(version: number): Promise<void> {
	const client = await own.postgres.connect('pg_catalog');
	await bringUpToDate(client, own.schema, MIGRATIONS.slice(0, version));
	await client.end();
}

async function versions(): Promise<unknown[]> {
	return await own.postgres.execute(`SELECT version FROM ${own.schema}.schema_version`);
}

/** Inserts a queued execution in the format of the first version. @returns its identifier */
async function oldExecution(): Promise<string> {
	const { execution } = begun();
	const { kickoffId, state, ...data } = execution;
	await own.postgres.execute(
		`INSERT INTO ${own.schema}.executions (kickoff_id, version, state, begun, epoch, lease_until, size, data)
		VALUES ('${kickoffId}', 1, '${state}', 0, 0, 0, 0, '${JSON.stringify({ kickoffId, ...data })}')`,
	);
	return kickoffId;
}

/** Resolves once a statement with these words waits for a lock. */
const somebodyWaits = (words: string, isLongEnough = 'TRUE') =>
	until(async () => {
		const waiting = await own.postgres.execute(
			`SELECT 1 FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND query LIKE '%${words}%' AND ${isLongEnough}`,
		);
		return waiting.length > 0;
	}, 30_000);

it.each(MIGRATIONS.map((_, version) => [version]))(
	'tables of version %i are migrated once if four servers start at the same time',
	async (version) => {
		if (version > 0) await makeTables(version);
		const kickoffId = version > 0 ? await oldExecution() : undefined;
		const stores = await Promise.all([own.open(), own.open(), own.open(), own.open()] as const);
		expect(await versions()).toEqual([{ version: String(MIGRATIONS.length) }]);
		if (kickoffId === undefined) return;
		for (const store of stores) await stored(store, kickoffId);
		const [claimed] = await stores[3].claim('a', 9);
		expect(claimed).toMatchObject({ execution: { kickoffId } });
	},
);

it('a server continues with tables that a newer one has migrated', async () => {
	const old = await own.open();
	const first = await kickOff(old);
	const [claimed] = await old.claim('a', 1);
	for (const table of ['executions', 'parts', 'events', 'callbacks', 'servers', 'kickoff_keys']) {
		await own.postgres.execute(
			`ALTER TABLE ${own.schema}.${table} ADD COLUMN newer TEXT NOT NULL DEFAULT 'x'`,
		);
	}
	await own.postgres.execute(`CREATE TABLE ${own.schema}.newer (key BIGINT);
		UPDATE ${own.schema}.schema_version SET version = version + 1`);
	const done = await commit(old, claimed!, [{ type: 'crew_done' }], claimed!.lease);
	expect(await stored(old, first.execution.kickoffId)).toEqual(done);
	expect(await old.events(first.execution.kickoffId, 0, 9)).toHaveLength(2);
	const next = await kickOff(old, { callbacks: { crewWebhookUrl: 'http://127.0.0.1:1/' } });
	expect((await old.claim('a', 9)).map(({ key }) => key)).toEqual([next.key]);
	await complete(old, await stored(old, next.execution.kickoffId));
	expect(await old.claimCallbacks(9, [])).toHaveLength(1);
	await old.renew('a');
	expect(old.problem).toBeUndefined();
	// But an old server cannot start any more.
	await expect(own.open()).rejects.toThrow(
		'it was written by a newer crew server: update this one',
	);
});

it('executions that ended at a server of an earlier version are removed in turn', async () => {
	const store = await own.open({}, { retention: { executions: 2 } });
	const end = async () => {
		const { execution } = await complete(store, await kickOff(store));
		await until(async () => (await store.list(9)).length <= 2);
		return execution.kickoffId;
	};
	await end();
	// That server does not record the order in which executions end.
	await own.postgres.execute(`UPDATE ${own.schema}.executions SET ended = NULL`);
	await end();
	await end();
	const last = [await end(), await end()];
	expect((await store.list(9)).map(({ kickoffId }) => kickoffId)).toEqual(last.toReversed());
});

it('a starting server waits for a migration by another one for as long as that takes', async () => {
	await makeTables(1);
	const migrating = await own.postgres.connect('pg_catalog');
	await migrating.query('SET idle_in_transaction_session_timeout TO 0; BEGIN');
	await migrating.query(`SELECT pg_advisory_xact_lock(hashtext('crew-server'), hashtext($1))`, [
		own.schema,
	]);
	const starting = own.open();
	// Longer than the limit for any other statement.
	await somebodyWaits('pg_advisory_xact_lock', `now() - query_start > '11 s'`);
	await migrating.query('COMMIT');
	await kickOff(await starting);
	await migrating.end();
});

it('a starting server does not block others while somebody else reads the tables', async () => {
	await makeTables(7);
	const reading = await own.postgres.connect(own.schema);
	await reading.query('SET idle_in_transaction_session_timeout TO 0; BEGIN');
	await reading.query('SELECT * FROM executions');
	const starting = own.open();
	await somebodyWaits('ALTER TABLE executions');
	// This query queues behind the migration, which then gives way.
	await own.postgres.execute(`SELECT COUNT(*) FROM ${own.schema}.executions`);
	await reading.query('COMMIT');
	await kickOff(await starting);
	await reading.end();
});

it('a server starts even if its migration and another transaction wait for each other', async () => {
	await makeTables(6);
	const writing = await own.postgres.connect(own.schema);
	await writing.query(`SET deadlock_timeout TO '60s'; BEGIN`);
	await writing.query('LOCK TABLE executions IN ROW EXCLUSIVE MODE');
	const starting = own.open();
	await somebodyWaits('ALTER TABLE executions');
	// The migration holds a lock on this table.
	await writing.query('LOCK TABLE callbacks IN ROW EXCLUSIVE MODE');
	await writing.query('COMMIT');
	await kickOff(await starting);
	await writing.end();
});
