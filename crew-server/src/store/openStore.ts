import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { cutWaits } from './cutWaits';
import { addressOf, openPostgres, type DatabaseSettings } from './postgres/openPostgres';
import type { RetentionLimits } from './retention';
import { migrate, NewerSchema } from './schema';
import type { ServerIdentity } from './serverTable';
import { run, type Sql } from './sql';
import { BUSY, sqliteCode, Sqlite, type Synchronous } from './sqlite';
import { SqliteDatabase } from './sqliteDatabase';
import { SqlStore } from './sqlStore';
import type { Store } from './store';

export interface StoreSettings {
	/** Where executions are kept after the end of the process. Without this and a database: in memory only. */
	folder?: string;
	/** A PostgreSQL database that several servers share, instead of the folder. */
	database?: DatabaseSettings;
	/** Which of these servers this is. */
	server?: ServerIdentity;
	retention?: Partial<RetentionLimits>;
	/** `NORMAL`: the end of the process loses nothing, but a power cut may lose the last moments. `FULL`: not even that. */
	synchronous?: Synchronous;
	/** Takes what an operator should know. */
	log?: (message: string) => void;
	/** Milliseconds since 1970; it never goes back. A database has its own. */
	clock?: () => number;
}

const IN_FOLDER: RetentionLimits = { executions: 10_000, characters: Infinity };
const IN_MEMORY: RetentionLimits = { executions: 1_000, characters: 256 * 1024 ** 2 };

/**
 * Opens the store of a deployment; no other process can use its folder from then on.
 *
 * @throws {Error} saying why the folder or the database cannot be used
 */
export async function openStore(settings: StoreSettings): Promise<Store> {
	const { folder, database, server, retention, log = () => undefined } = settings;
	const isKept = folder !== undefined || database !== undefined;
	const limits = { ...(isKept ? IN_FOLDER : IN_MEMORY), ...retention };
	const opened = database
		? await openPostgres(addressOf(database))
		: new SqliteDatabase(openSqlite(settings));
	const { fleetParallel } = database ?? {};
	return new SqlStore(opened, { retention: limits, fleetParallel, server, log });
}

function openSqlite({ folder, synchronous = 'NORMAL', clock }: StoreSettings): Sqlite {
	const open = (file?: string) => new Sqlite(file, synchronous, clock ?? steadyClock, clock);
	return folder === undefined ? inMemory(open) : inFolder(folder, open);
}

function inMemory(open: () => Sqlite): Sqlite {
	const sqlite = open();
	migrate(sqlite);
	return sqlite;
}

function inFolder(folder: string, open: (file: string) => Sqlite): Sqlite {
	const file = join(folder, 'executions.db');
	try {
		makeFolder(folder);
		if (!existsSync(file)) refuseOther(folder);
		// Only this user may read the file; the files next to it get the same rights.
		closeSync(openSync(file, 'a', 0o600));
		chmodSync(file, 0o600);
		return connect(open(file));
	} catch (error) {
		throw new Error(`The folder ${folder} ${reason(error)}, or give another folder with --data.`);
	}
}

/** Node's `recursive` option never returns if a folder cannot be created, as in /proc. */
function makeFolder(folder: string): void {
	if (existsSync(folder)) return;
	makeFolder(dirname(folder));
	mkdirSync(folder, { mode: 0o700 });
}

function connect(sqlite: Sqlite): Sqlite {
	try {
		migrate(sqlite);
		sqlite.perform(takeOver());
		return sqlite;
	} catch (error) {
		sqlite.close();
		throw error;
	}
}

/** Releases what an earlier process had claimed: nobody else uses the folder, so that process is gone. */
function* takeOver(): Sql<void> {
	yield* run(`UPDATE executions SET worker = NULL WHERE state = 'running'`);
	yield* run(`UPDATE callbacks SET state = 'due', next_at = 0 WHERE state = 'claimed'`);
	yield* cutWaits();
}

/** Server versions before the first release kept theirs in LevelDB. */
function refuseOther(folder: string): void {
	if (existsSync(join(folder, 'executions', 'CURRENT'))) throw new OtherData();
}

/** The folder contains other data. */
class OtherData extends Error {}

function reason(error: unknown): string {
	if (error instanceof OtherData) {
		return 'holds executions of an earlier kind, which can no longer be read: remove its executions/';
	}
	if (error instanceof NewerSchema) return 'was written by a newer crew server: update this one';
	if (sqliteCode(error) === BUSY) return 'is in use by another crew server: stop that one';
	return `cannot be read (${(error as Error).message}): correct that`;
}

/** Unlike the machine's, it does not go back or jump if somebody sets the time. */
function steadyClock(): number {
	return Math.round(performance.timeOrigin + performance.now());
}
