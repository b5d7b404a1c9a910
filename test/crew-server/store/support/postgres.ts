import { Client } from 'pg';

import { Connection } from '../../../../crew-server/src/store/postgres/connection';
import { startPostgres, type Postgres } from '../../../../sandbox/src/postgres';

/** A PostgreSQL of its own, with a connection to it. */
export interface SharedPostgres {
	readonly url: string;
	/** Runs a statement. */
	execute(text: string): Promise<unknown[]>;
	/** A connection as a server has one. */
	connect(schema: string): Promise<Client>;
	stop(): Promise<void>;
}

/** @param options as {@link startPostgres} takes them */
export async function sharedPostgres(
	options?: Parameters<typeof startPostgres>[0],
): Promise<SharedPostgres> {
	const postgres: Postgres = await startPostgres(options);
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
