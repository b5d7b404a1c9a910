import { join } from 'node:path';

import { addressOf } from '../../../crew-server/src/store/postgres/openPostgres';
import { all, run } from '../../../crew-server/src/store/sql';
import { Sqlite } from '../../../crew-server/src/store/sqlite';
import { crewOf } from '../../../test/crew-server/support/crewOf';
import type { Place, Side } from '../row';
import { median } from '../statistics';
import { database, serve, settings, type Served } from './database';
import { temporaryFolder } from './folder';

/** Serves with a number of ended executions in its store. */
interface Keeper {
	name: string;
	serve: (place: Place, kept: number) => Promise<Served>;
}

/** The median milliseconds of a kickoff. */
export function kickoffs(keeper: Keeper, kept: number): Side {
	return amongMany(keeper, kept, async ({ client }, size) => {
		return await medianTime(size, () => client.kickoff());
	});
}

/** The median milliseconds of a status request. */
export function statuses(keeper: Keeper, kept: number): Side {
	return amongMany(keeper, kept, async (served, size) => {
		const id = await completed(served);
		return await medianTime(size, () => served.client.get(`/${id}/status`));
	});
}

function amongMany(
	keeper: Keeper,
	kept: number,
	measure: (served: Served, size: number) => Promise<number>,
): Side {
	return {
		name: `${keeper.name}, ${kept} executions`,
		prepare: async (place) => {
			const served = await keeper.serve(place, kept);
			return async () => await measure(served, place.size);
		},
	};
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

export const inDatabase: Keeper = {
	name: 'PostgreSQL',
	serve: async (place, kept) => {
		const postgres = await database(place);
		const where = { database: settings(postgres.url) };
		const served = await serve(place, where, crewOf([0]), { executions: Infinity });
		await completed(served);
		const { schema } = addressOf(where.database);
		const execute = async (text: string) => (await postgres.execute(text)) as Row[];
		await fill(execute, (table) => `${schema}.${table}`, 'OVERRIDING SYSTEM VALUE', kept);
		await postgres.execute(
			`SELECT setval(pg_get_serial_sequence('${schema}.executions', 'key'), MAX(key))
			FROM ${schema}.executions`,
		);
		await postgres.execute('ANALYZE');
		return served;
	},
};

export const inFolder: Keeper = {
	name: 'SQLite',
	serve: async (place, kept) => {
		const folder = await temporaryFolder(place);
		const where = { dataFolder: folder };
		const begun = await serve(place, where, crewOf([0]));
		await completed(begun);
		await begun.server.close();
		const sqlite = new Sqlite(join(folder, 'executions.db'));
		const execute = (text: string) => {
			const work = text.startsWith('SELECT') ? all(text) : run(text);
			return Promise.resolve(sqlite.perform<unknown>(work) as Row[]);
		};
		await fill(execute, (table) => table, '', kept);
		sqlite.close();
		return await serve(place, where, crewOf([0]), { executions: Infinity });
	},
};

type Row = Record<string, unknown>;

/** Copies the only execution, which has ended, many times. */
async function fill(
	execute: (text: string) => Promise<Row[]>,
	named: (table: string) => string,
	overriding: string,
	kept: number,
): Promise<void> {
	if (kept < 2) return;
	for (const name of ['executions', 'parts', 'events']) {
		const table = named(name);
		const columns = Object.keys((await execute(`SELECT * FROM ${table} LIMIT 1`))[0] ?? {});
		const values = columns.map((column) => {
			if (column === 'key' || column === 'ended') return `${column} + n`;
			return column === 'kickoff_id' ? `kickoff_id || '-' || n` : column;
		});
		await execute(
			`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${kept - 1})
			INSERT INTO ${table} (${columns.join()}) ${overriding}
			SELECT ${values.join()} FROM ${table}, numbers`,
		);
	}
}

async function completed({ client }: Served): Promise<string> {
	const id = await client.kickoff();
	await client.untilStatus(id, 'completed');
	return id;
}
