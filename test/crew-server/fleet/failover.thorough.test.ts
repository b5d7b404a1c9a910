import { Client } from 'pg';

import { startPostgres, type Postgres } from '../../../sandbox/src/postgres';
import { until } from '../support/until';
import type { Fleet } from './fleet';
import { nothingIsLost } from './ownRound';

jest.setTimeout(300_000);

/** Starts a replica that gets each commit before the commit is answered. */
async function followed(fleet: Fleet): Promise<Postgres> {
	const replica = await startPostgres({ isDurable: true, primary: fleet.postgres.port });
	await fleet.ask(`ALTER SYSTEM SET synchronous_standby_names TO '*'`);
	await fleet.ask('SELECT pg_reload_conf()');
	await until(async () => {
		const rows = await fleet.ask(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
		return rows?.length === 1;
	}, 30_000);
	return replica;
}

/** The servers keep the same address. */
async function takeOver(replica: Postgres, fleet: Fleet): Promise<void> {
	const client = new Client(`postgres://postgres@127.0.0.1:${replica.port}/postgres`);
	await client.connect();
	await client.query('SELECT pg_promote()');
	await client.end();
	fleet.postgres = replica;
	for (const { proxy } of fleet.servers) proxy.port = replica.port;
}

it('nothing is lost if PostgreSQL is killed and a synchronous replica takes its place', async () => {
	await nothingIsLost({
		what: 'a replica takes over',
		do: async ({ fleet }) => {
			const primary = fleet.postgres;
			const replica = await followed(fleet);
			await primary.stop('SIGQUIT');
			await takeOver(replica, fleet);
		},
	});
});
