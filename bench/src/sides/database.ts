import {
	startCrewServer,
	type CrewDefinition,
	type CrewServer,
	type CrewServerOptions,
} from '../../../crew-server/src';
import type { DatabaseSettings } from '../../../crew-server/src/store/postgres/openPostgres';
import { hasPostgres } from '../../../sandbox/src/postgres-programs';
import { Client } from '../../../test/crew-server/support/client';
import {
	sharedPostgres,
	type SharedPostgres,
} from '../../../test/crew-server/store/support/postgres';
import type { Place } from '../row';

/** What rows on PostgreSQL have in common. */

export const lacks = async (): Promise<string | undefined> =>
	(await hasPostgres()) ? undefined : 'It needs PostgreSQL from Debian.';

export const settings = (url: string): DatabaseSettings => ({ url, deployment: 'bench' });

/** A separate PostgreSQL that does not wait for the disk, like SQLite in its usual setting. */
export async function database({ teardown }: Place): Promise<SharedPostgres> {
	const postgres = await sharedPostgres({ isDurable: true });
	teardown.add(() => postgres.stop());
	return postgres;
}

/** A server, and a client of it. */
export interface Served {
	server: CrewServer;
	client: Client;
}

/** A server in this process, which keeps its executions in a database or in a folder. */
export async function serve(
	place: Place,
	where: Pick<CrewServerOptions, 'database' | 'dataFolder'>,
	crew: CrewDefinition,
	retention = {},
): Promise<Served> {
	const server = await startCrewServer({ crew, retention, ...where });
	place.teardown.add(() => server.close());
	return { server, client: new Client(server) };
}
