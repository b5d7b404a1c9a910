import { get } from './sql';
import type { Sqlite } from './sqlite';

/** Brings the schema from one version to the next. */
export interface Migration {
	/** In SQL for both SQLite and PostgreSQL, except for the names of types. */
	tables: string;
	/** Fills what is new; there was no earlier version with PostgreSQL. */
	fill?: string;
}

/**
 * Released migrations never change. With PostgreSQL, servers of the previous version keep running meanwhile and afterwards:
 * new columns have a default or are filled later, and nothing that they use is removed.
 */
export const MIGRATIONS: readonly Migration[] = [
	{
		tables: `CREATE TABLE executions (
		key INTEGER PRIMARY KEY AUTOINCREMENT,
		kickoff_id TEXT NOT NULL UNIQUE,
		version INTEGER NOT NULL,
		state TEXT NOT NULL,
		-- Whether it was ever claimed.
		begun INTEGER NOT NULL,
		epoch INTEGER NOT NULL,
		worker TEXT,
		lease_until INTEGER NOT NULL,
		finished_at INTEGER,
		-- Characters of all that is kept of it, once it has ended.
		size INTEGER NOT NULL,
		data TEXT NOT NULL
	);
	CREATE INDEX executions_by_state ON executions (state);
	CREATE INDEX executions_to_claim ON executions (begun DESC, key) WHERE state IN ('queued', 'running');
	CREATE INDEX executions_ended ON executions (finished_at, key)
		WHERE state IN ('completed', 'failed', 'stopped');

	-- What is large or seldom changes: a change writes only what it changes.
	CREATE TABLE parts (
		key INTEGER NOT NULL,
		name TEXT NOT NULL,
		value TEXT NOT NULL,
		PRIMARY KEY (key, name)
	);

	CREATE TABLE events (
		key INTEGER NOT NULL,
		number INTEGER NOT NULL,
		event TEXT NOT NULL,
		PRIMARY KEY (key, number)
	);

	-- Executions that are gone, and whose events go piece by piece.
	CREATE TABLE removed (key INTEGER PRIMARY KEY);

	CREATE TABLE callbacks (
		seq INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE,
		key INTEGER NOT NULL,
		kickoff_id TEXT NOT NULL,
		kind TEXT NOT NULL,
		-- Whether somebody may be waiting for it: a question or the end.
		awaited INTEGER NOT NULL,
		url TEXT NOT NULL,
		origin TEXT NOT NULL,
		authentication TEXT,
		body TEXT NOT NULL,
		-- waiting (for others before it), due, claimed, delivered, given_up
		state TEXT NOT NULL,
		tries INTEGER NOT NULL,
		-- When to try it, or when its claim lapses; and how long that was then.
		next_at INTEGER NOT NULL,
		delay INTEGER NOT NULL,
		attempts TEXT NOT NULL
	);
	CREATE INDEX callbacks_of ON callbacks (key);
	CREATE INDEX callbacks_to_send ON callbacks (next_at) WHERE state IN ('due', 'claimed');
	CREATE INDEX callbacks_in_order ON callbacks (key, url, seq) WHERE state IN ('waiting', 'due', 'claimed');
	CREATE INDEX callbacks_settled ON callbacks (seq) WHERE state IN ('delivered', 'given_up');`,
	},
	{
		// Searches need columns of their own.
		tables: `ALTER TABLE executions ADD COLUMN owner TEXT NOT NULL DEFAULT 'organisation';
	ALTER TABLE executions ADD COLUMN started_at INTEGER NOT NULL DEFAULT 0;`,
		fill: `UPDATE executions SET owner = json_extract(data, '$.owner'), started_at = json_extract(data, '$.startedAt')
		WHERE json_valid(data);`,
	},
	{
		// To recognize repeated kickoffs.
		tables: `CREATE TABLE kickoff_keys (
		key TEXT PRIMARY KEY,
		digest TEXT NOT NULL,
		kickoff_id TEXT NOT NULL,
		kept_until INTEGER NOT NULL
	);
	CREATE INDEX kickoff_keys_kept ON kickoff_keys (kept_until);`,
	},
	{
		// Since when it waits for a worker.
		tables: `ALTER TABLE executions ADD COLUMN queued_at INTEGER;`,
	},
	{
		// Which servers there are, and with which version of the project an execution was begun.
		tables: `CREATE TABLE servers (
		worker TEXT PRIMARY KEY,
		project TEXT,
		alive_until INTEGER NOT NULL
	);
	ALTER TABLE executions ADD COLUMN project TEXT;`,
	},
	{
		// On which machine files are that an execution has written.
		tables: `ALTER TABLE servers ADD COLUMN machine TEXT;
	ALTER TABLE executions ADD COLUMN machine TEXT;`,
	},
	{
		// PostgreSQL takes no more than some kilobytes into an index, and an address may be longer.
		tables: `DROP INDEX callbacks_in_order;
	CREATE INDEX callbacks_in_order ON callbacks (key, SUBSTR(url, 1, 500), seq)
		WHERE state IN ('waiting', 'due', 'claimed');`,
	},
	{
		// In which order executions ended, whatever the clock said.
		tables: `ALTER TABLE executions ADD COLUMN ended INTEGER;
	UPDATE executions SET ended = finished_at WHERE finished_at IS NOT NULL;
	CREATE INDEX executions_in_order_of_end ON executions (ended, key)
		WHERE state IN ('completed', 'failed', 'stopped');`,
	},
	{
		// SQLite prefers the index of states to an index that has conditions about states.
		tables: `DROP INDEX executions_ended;
	CREATE INDEX executions_ended ON executions (finished_at, key);
	DROP INDEX executions_in_order_of_end;
	CREATE INDEX executions_in_order_of_end ON executions (ended, key);`,
	},
];

/** The database was written by a newer version of the server. */
export class NewerSchema extends Error {
	override readonly message = 'it was written by a newer crew server: update this one';
}

/** @throws {NewerSchema} */
export function migrate(sqlite: Sqlite): void {
	const { user_version: version = 0 } =
		(sqlite.perform(get('PRAGMA user_version')) as { user_version: number } | undefined) ?? {};
	if (version > MIGRATIONS.length) throw new NewerSchema();
	for (const [index, { tables, fill = '' }] of MIGRATIONS.entries()) {
		if (index < version) continue;
		sqlite.execute(`BEGIN; ${tables} ${fill} PRAGMA user_version = ${index + 1}; COMMIT`);
	}
}
