import { Connection } from '../../../crew-server/src/store/postgres/connection';
import { addressOf } from '../../../crew-server/src/store/postgres/openPostgres';
import { openStore } from '../../../crew-server/src/store/openStore';
import { isCommitted, Transaction } from '../../../crew-server/src/store/postgres/transaction';
import { run } from '../../../crew-server/src/store/sql';
import { startPostgres, type Postgres } from '../../../sandbox/src/postgres';

let postgres: Postgres;
const connections: Connection[] = [];
beforeEach(async () => {
	postgres = await startPostgres({ isDurable: true });
});
afterEach(async () => {
	await Promise.all(connections.splice(0).map((connection) => connection.close()));
	await postgres.stop();
});

it('does not consider a transaction committed that a crash has undone, even if another one has its number', async () => {
	const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
	const database = { url, deployment: 'doubt' };
	const address = addressOf(database);
	await (await openStore({ database })).close();
	const open = async () => {
		const connection = new Connection(address);
		connections.push(connection);
		return await connection.open();
	};
	const client = await open();
	// What was not committed must not be written by chance.
	await client.query(`ALTER SYSTEM SET wal_writer_delay = '10s'`);
	await client.query('SELECT pg_reload_conf()');
	await client.query('CHECKPOINT');
	const transaction = new Transaction(client);
	await transaction.perform([run('INSERT INTO removed (key) VALUES (7)')]);
	await postgres.crash();
	const other = await open();
	for (let count = 0; count < 50; count++) await other.query('SELECT pg_current_xact_id()');
	expect((await other.query('SELECT key FROM removed')).rows).toEqual([]);
	expect(await isCommitted(other, transaction.mark)).toBe(false);
});
