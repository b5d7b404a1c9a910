import { Client } from 'pg';

import { Connection } from '../../../../crew-server/src/store/postgres/connection';
import { startPostgres, type Postgres } from '../../../../sandbox/src/postgres';

/** A new PostgreSQL, with a connection to it. */
export interface SharedPostgres {
	readonly url: string;
	readonly port: number;
	/** Runs a statement. */
	execute(text: string): Promise<unknown[]>;
	/** A connection like a server's. */
	connect(schema: string): Promise<Client>;
	stop(): Promise<void>;
}

/** @param options those of {@link startPostgres} */
export async function sharedPostgres(
	options?: Parameters<typeof startPostgres>[0],
): Promise<SharedPostgres> {
	const postgres: Postgres = await startPostgres(options);
	const { port } = postgres;
	const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
	const client = new Client({ connectionString: url });
	client.on('error', () => undefined);
	await client.connect();
	return {
		url,
		port,
		execute: async (text) => (await client.query<object>(text)).rows,
		connect: (schema) => new Connection({ url, schema }).open(),
		stop: async () => {
			await client.end();
			await postgres.stop();
		},
	};
}
