import { setTimeout as sleep } from 'node:timers/promises';
import type { Client as Database } from 'pg';

import { addressOf } from '../../../crew-server/src/store/postgres/openPostgres';
import type { Measure, Side } from '../row';
import { quantile } from '../statistics';
import { crewOf, database, serve, settings, type Served } from './database';

/** For so long a server is left alone. */
const IDLE_SECONDS = 20;

/** Milliseconds of a kickoff, the median, beside so many executions that have ended. */
export function kickoffs(kept: number): Side {
	return amongMany(kept, async ({ client }, size) => {
		const took: number[] = [];
		for (let index = 0; index < size; index++) {
			const began = performance.now();
			await client.kickoff();
			took.push(performance.now() - began);
		}
		return quantile(took, 0.5);
	});
}

/** Milliseconds of a status, the median, beside so many executions that have ended. */
export function statuses(kept: number): Side {
	return amongMany(kept, async ({ client }, size) => {
		const id = await client.kickoff();
		await client.untilStatus(id, 'completed');
		const took: number[] = [];
		for (let index = 0; index < size; index++) {
			const began = performance.now();
			await client.get(`/${id}/status`);
			took.push(performance.now() - began);
		}
		return quantile(took, 0.5);
	});
}

function amongMany(kept: number, measure: (served: Served, size: number) => Promise<number>): Side {
	return {
		name: kept === 0 ? 'an empty database' : `${kept} executions`,
		prepare: async (place): Promise<Measure> => {
			const { url, client: sql } = await database(place);
			const served = await serve(place, url, crewOf(0), { executions: 2 * kept + 10_000 });
			if (kept > 0) await fill(served, sql, kept);
			return async () => await measure(served, place.size);
		},
	};
}

/** Makes copies of one execution that has ended. */
async function fill({ client }: Served, sql: Database, count: number): Promise<void> {
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	const { schema } = addressOf(settings(''));
	const { rows } = await sql.query<{ column_name: string; table_name: string }>(
		`SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = $1 AND table_name IN ('executions', 'parts', 'events')`,
		[schema],
	);
	const [{ key } = { key: 0 }] = (
		await sql.query<{ key: number }>(`SELECT key FROM ${schema}.executions WHERE kickoff_id = $1`, [
			id,
		])
	).rows;
	for (const table of ['executions', 'parts', 'events']) {
		const columns = rows.filter((row) => row.table_name === table).map((row) => row.column_name);
		const values = columns.map((name) => {
			if (name === 'key') return `${key} + n`;
			return name === 'kickoff_id' ? 'gen_random_uuid()::text' : name;
		});
		await sql.query(
			`INSERT INTO ${schema}.${table} (${columns.join()}) OVERRIDING SYSTEM VALUE SELECT ${values.join()}
			FROM ${schema}.${table}, generate_series(1, ${count}) AS n WHERE key = ${key}`,
		);
	}
	await sql.query(
		`SELECT setval(pg_get_serial_sequence('${schema}.executions', 'key'), ${key + count})`,
	);
	await sql.query('ANALYZE');
}

/** Transactions a second of a server that has nothing to do. */
export const idleQueries: Side = {
	name: 'crew server',
	prepare: async (place) => {
		const { url, client: sql } = await database(place);
		await serve(place, url, crewOf(0));
		const count = async () => {
			const { rows } = await sql.query<{ count: string }>(
				`SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = 'postgres'`,
			);
			return Number(rows[0]?.count);
		};
		return async () => {
			await sleep(2_000);
			const before = await count();
			await sleep(IDLE_SECONDS * 1_000);
			return ((await count()) - before) / IDLE_SECONDS;
		};
	},
};
