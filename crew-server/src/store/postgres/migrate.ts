import type { Client } from 'pg';

import { MIGRATIONS, NewerSchema } from '../schema';

/** Stands for the deployments of crew servers among all who take locks of this kind in the database. */
const LOCK = 'crew-server';

/** What only a database with several servers needs, by the migration that it belongs to. */
const SHARED: Readonly<Record<number, string>> = {
	0: `-- The only clock that counts.
	CREATE FUNCTION crew_now() RETURNS BIGINT LANGUAGE sql STABLE
		AS 'SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT';
	CREATE TABLE tokens (name TEXT PRIMARY KEY, value TEXT NOT NULL);`,
	6: `-- The last transaction of each connection that was committed.
	CREATE TABLE commits (connection TEXT PRIMARY KEY, number BIGINT NOT NULL, at BIGINT NOT NULL);`,
};

/** Milliseconds for which that is kept: nobody asks for it that long. */
const KEPT_COMMITS = 24 * 3_600_000;

/**
 * Brings the schema of a deployment up to date. Servers that start at once do so one after the other.
 *
 * @throws {NewerSchema}
 */
export async function bringUpToDate(client: Client, schema: string): Promise<void> {
	await client.query('BEGIN');
	try {
		await client.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [LOCK, schema]);
		await client.query(
			`CREATE SCHEMA IF NOT EXISTS ${schema};
			SET LOCAL search_path TO ${schema};
			CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)`,
		);
		const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version');
		const version = rows[0]?.version;
		if (version !== undefined && version > MIGRATIONS.length) throw new NewerSchema();
		for (const [index, { tables }] of MIGRATIONS.entries()) {
			if (index < (version ?? 0)) continue;
			await client.query(inPostgres(tables) + (SHARED[index] ?? ''));
		}
		await client.query(
			version === undefined
				? 'INSERT INTO schema_version (version) VALUES ($1)'
				: 'UPDATE schema_version SET version = $1',
			[MIGRATIONS.length],
		);
		await client.query('DELETE FROM commits WHERE at < crew_now() - $1::BIGINT', [KEPT_COMMITS]);
		await client.query('COMMIT');
	} catch (error) {
		await client.query('ROLLBACK').catch(() => undefined);
		throw error;
	}
}

/** Numbers of 64 bits have names of their own there. */
function inPostgres(tables: string): string {
	return tables
		.replaceAll(
			'INTEGER PRIMARY KEY AUTOINCREMENT',
			'INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
		)
		.replaceAll('INTEGER', 'BIGINT');
}
