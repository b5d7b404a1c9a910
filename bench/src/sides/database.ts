import fastGlob from 'fast-glob';
import { Client as Database } from 'pg';

import { startCrewServer, type CrewDefinition, type CrewServer } from '../../../crew-server/src';
import type { DatabaseSettings } from '../../../crew-server/src/store/postgres/openPostgres';
import { startPostgres } from '../../../sandbox/src/postgres';
import { Client } from '../../../test/crew-server/support/client';
import type { Place, Row } from '../row';

/** What rows on PostgreSQL have in common. */

export const lacks: Row['lacks'] = async () =>
	(await fastGlob('/usr/lib/postgresql/*/bin/initdb')).length > 0
		? undefined
		: 'It needs PostgreSQL from Debian.';

/** Tasks that take so many milliseconds. */
export const crewOf = (...durations: number[]): CrewDefinition => ({
	name: 'bench',
	inputs: [],
	tasks: durations.map((duration, index) => ({
		name: `task_${index}`,
		description: 'Work',
		expectedOutput: 'A text',
		agent: 'Worker',
		output: 'Done',
		duration,
	})),
});

export const settings = (url: string): DatabaseSettings => ({ url, deployment: 'bench' });

/** A PostgreSQL of its own, which does not wait for the disk, as SQLite in its usual setting does not. */
export async function database({ teardown }: Place): Promise<{ url: string; client: Database }> {
	const postgres = await startPostgres({ isDurable: true });
	teardown.add(() => postgres.stop());
	const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
	const client = new Database({ connectionString: url });
	await client.connect();
	teardown.add(() => client.end());
	return { url, client };
}

/** A server on the database, in this process. */
export async function serve(
	place: Place,
	url: string,
	crew: CrewDefinition,
	retention = {},
): Promise<Served> {
	const server = await startCrewServer({ crew, retention, database: settings(url) });
	place.teardown.add(() => server.close());
	return { server, client: new Client(server) };
}

export interface Served {
	server: CrewServer;
	client: Client;
}
