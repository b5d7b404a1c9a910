import { setTimeout as sleep } from 'node:timers/promises';

import { crewOf } from '../../../test/crew-server/support/crewOf';
import type { Side } from '../row';
import { database, serve, settings } from './database';

/** How long the server is left alone. */
const IDLE_SECONDS = 20;

/** Transactions per second of an idle server. */
export const idleQueries: Side = {
	name: 'crew server',
	prepare: async (place) => {
		const postgres = await database(place);
		await serve(place, { database: settings(postgres.url) }, crewOf([0]));
		const count = async () => {
			const [row] = (await postgres.execute(
				`SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = 'postgres'`,
			)) as Array<{ count: string }>;
			return Number(row?.count);
		};
		return async () => {
			await sleep(2_000);
			const before = await count();
			await sleep(IDLE_SECONDS * 1_000);
			return ((await count()) - before) / IDLE_SECONDS;
		};
	},
};
