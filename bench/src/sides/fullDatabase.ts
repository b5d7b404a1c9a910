import { setTimeout as sleep } from 'node:timers/promises';

import { addressOf } from '../../../crew-server/src/store/postgres/openPostgres';
import type { Measure, Side } from '../row';
import { crewOf } from '../../../test/crew-server/support/crewOf';
import type { SharedPostgres } from '../../../test/crew-server/store/support/postgres';
import { median } from '../statistics';
import { database, serve, settings, type Served } from './database';

/** How long the server is left alone. */
const IDLE_SECONDS = 20;

/** The median milliseconds of a kickoff, with a number of ended executions in the database. */
export function kickoffs(kept: number): Side {
	return amongMany(kept, async ({ client }, size) => {
		return await medianTime(size, () => client.kickoff());
	});
}

/** The median milliseconds of a status request, with a number of ended executions in the database. */
export function statuses(kept: number): Side {
	return amongMany(kept, async ({ client }, size) => {
		const id = await client.kickoff();
		await client.untilStatus(id, 'completed');
		return await medianTime(size, () => client.get(`/${id}/status`));
	});
}

/** The median milliseconds of some work that is repeated a number of times. */
async function medianTime(times: number, work: () => Promise<unknown>): Promise<number> {
	const took: number[] = [];
	for (let time = 0; time < times; time++) {
		const began = performance.now();
		await work();
		took.push(performance.now() - began);
	}
	return median(took);
}

function amongMany(kept: number, measure: (served: Served, size: number) => Promise<number>): Side {
	return {
		name: kept === 0 ? 'an empty database' : `${kept} executions`,
		prepare: async (place): Promise<Measure> => {
			const postgres = await database(place);
			const served = await serve(place, postgres.url, crewOf([0]), {
				executions: 2 * kept + 10_000,
			});
			if (kept > 0) await fill(served, postgres, kept);
			return async () => await measure(served, place.size);
		},
	};
}

/** Copies one ended execution many times. */
async function fill({ client }: Served, postgres: SharedPostgres, count: number): Promise<void> {
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	const { schema } = addressOf(settings(''));
	const original = `(SELECT key FROM ${schema}.executions WHERE kickoff_id = '${id}')`;
	for (const table of ['executions', 'parts', 'events']) {
		const columns = (await postgres.execute(
			`SELECT column_name AS name FROM information_schema.columns
			WHERE table_schema = '${schema}' AND table_name = '${table}'`,
		)) as Array<{ name: string }>;
		const names = columns.map(({ name }) => name);
		const values = names.map((name) => {
			if (name === 'key') return 'key + n';
			return name === 'kickoff_id' ? 'gen_random_uuid()::text' : name;
		});
		await postgres.execute(
			`INSERT INTO ${schema}.${table} (${names.join()}) OVERRIDING SYSTEM VALUE SELECT ${values.join()}
			FROM ${schema}.${table}, generate_series(1, ${count}) AS n WHERE key = ${original}`,
		);
	}
	await postgres.execute(
		`SELECT setval(pg_get_serial_sequence('${schema}.executions', 'key'), MAX(key))
		FROM ${schema}.executions`,
	);
	await postgres.execute('ANALYZE');
}

/** Transactions per second of an idle server. */
export const idleQueries: Side = {
	name: 'crew server',
	prepare: async (place) => {
		const postgres = await database(place);
		await serve(place, postgres.url, crewOf([0]));
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
