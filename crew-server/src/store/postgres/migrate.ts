import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

import { MIGRATIONS, NewerSchema, type Migration } from '../schema';
import { postgresCode } from './connection';

/** The name of crew servers among all users of advisory locks in the database. */
const LOCK = 'crew-server';

/** What only a database with several servers needs, by migration. */
const SHARED: Readonly<Record<number, string>> = {
	0: `-- The only clock that counts.
	CREATE FUNCTION crew_now() RETURNS BIGINT LANGUAGE sql STABLE
		AS 'SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT';
	CREATE TABLE tokens (name TEXT PRIMARY KEY, value TEXT NOT NULL);`,
	6: `-- The last transaction of each connection that was committed.
	CREATE TABLE commits (connection TEXT PRIMARY KEY, number BIGINT NOT NULL, at BIGINT NOT NULL);`,
};

/** Milliseconds for which a migration may wait for a table, e.g. during its backup, since other servers must then wait, too. */
const LONGEST_WAIT = 2_000;
/** How often a migration is tried if others block it, and milliseconds in between. */
const MOST_TRIES = 15;
const BETWEEN_TRIES = 1_000;

/**
 * Brings the schema of a deployment up to date while servers of earlier versions use it. Servers that start at the same
 * time do this one after the other.
 *
 * @param migrations all that there are
 * @throws {NewerSchema}
 */
export async function bringUpToDate(
	client: Client,
	schema: string,
	migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
	for (let tries = 1; ; tries += 1) {
		try {
			await migrate(client, schema, migrations);
			return;
		} catch (error) {
			if (!isOfOthers(error) || tries === MOST_TRIES) throw error;
			await sleep(BETWEEN_TRIES);
		}
	}
}

/** Whether others are the reason: a deadlock, or a lock that someone holds. */
function isOfOthers(error: unknown): boolean {
	return /^40|^55P03/.test(postgresCode(error) ?? '');
}

async function migrate(
	client: Client,
	schema: string,
	migrations: readonly Migration[],
): Promise<void> {
	await client.query('BEGIN');
	try {
		await client.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [LOCK, schema]);
		await client.query(
			`SET LOCAL lock_timeout TO ${LONGEST_WAIT};
			-- Those who may create none can be given one.
			DO $$ BEGIN
				IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
			END $$;
			SET LOCAL search_path TO ${schema};
			CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)`,
		);
		const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version');
		const version = rows[0]?.version;
		if (version !== undefined && version > migrations.length) throw new NewerSchema();
		for (const [index, { tables }] of migrations.entries()) {
			if (index < (version ?? 0)) continue;
			await client.query(inPostgres(tables) + (SHARED[index] ?? ''));
		}
		await client.query(
			version === undefined
				? 'INSERT INTO schema_version (version) VALUES ($1)'
				: 'UPDATE schema_version SET version = $1',
			[migrations.length],
		);
		await client.query('COMMIT');
	} catch (error) {
		await client.query('ROLLBACK').catch(() => undefined);
		throw error;
	}
}

/** Translates types: 64-bit numbers have different names in PostgreSQL. */
function inPostgres(tables: string): string {
	return tables
		.replaceAll(
			'INTEGER PRIMARY KEY AUTOINCREMENT',
			'INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
		)
		.replaceAll('INTEGER', 'BIGINT');
}
