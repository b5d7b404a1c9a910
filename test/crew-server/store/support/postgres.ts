import { Client } from 'pg';

import { Connection } from '../../../../crew-server/src/store/postgres/connection';
import { startPostgres, type Postgres } from '../../../../sandbox/src/postgres';

/** A PostgreSQL that the tests of one file share. */
export interface SharedPostgres {
	readonly url: string;
	/** Runs a statement. */
	execute(text: string): Promise<unknown[]>;
	/** A connection as a server has one. */
	connect(schema: string): Promise<Client>;
	stop(): Promise<void>;
}

export async function sharedPostgres(): Promise<SharedPostgres> {
	const postgres: Postgres = await startPostgres();
	const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
	const client = new Client({ connectionString: url });
	client.on('error', () => undefined);
	await client.connect();
	return {
		url,
		execute: async (text) => (await client.query<object>(text)).rows,
		connect: (schema) => new Connection({ url, schema }).open(),
		stop: async () => {
			await client.end();
			await postgres.stop();
		},
	};
}
