import {
	DatabaseSync,
	type DatabaseSyncInstance,
	type StatementSyncInstance,
} from '@photostructure/sqlite';

import { CLOCKS, type Outcome, type Sql, type Statement } from './sql';

export type Synchronous = 'NORMAL' | 'FULL';

/** Primary result codes of SQLite: https://sqlite.org/rescode.html */
export const BUSY = 5;
const CORRUPT = 11;
/** A wrong statement, a constraint, a value that is too long or of the wrong type: the database itself is fine. */
const OF_THE_STATEMENT = [1, 18, 19, 20, 21, 25];

/** What SQLite says of an error without its code, as those of statements that give rows are. */
const CODES: Record<string, number> = {
	'database is locked': BUSY,
	'out of memory': 7,
	'disk I/O error': 10,
	'database disk image is malformed': CORRUPT,
	'database or disk is full': 13,
};

/** What SQLite says of an error; `undefined` if it is none of SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
	const { message, errcode = CODES[message] } = error as Error & { errcode?: number };
	return errcode === undefined ? undefined : errcode & 0xff;
}

/** Whether an error says that what was read is damaged; everything else may be fine. */
export function isDamage(error: unknown): boolean {
	return sqliteCode(error) === CORRUPT;
}

/** Whether an error says that the database cannot be read or written, rather than that a statement is wrong. */
export function isOfTheDatabase(error: unknown): boolean {
	const code = sqliteCode(error);
	return code !== undefined && code !== CORRUPT && !OF_THE_STATEMENT.includes(code);
}

interface Prepared {
	statement: StatementSyncInstance;
	/** Gives the value after its own ones, if it has a clock. */
	clock: (() => number) | undefined;
}

/** The only connection to its file, which locks out all others. `node:sqlite` would work as well. */
export class Sqlite {
	private readonly database: DatabaseSyncInstance;
	private readonly statements = new Map<string, Prepared>();

	/**
	 * @param file of the database, which is created if it does not exist; without it, in memory
	 * @param clock milliseconds since 1970; it never goes back
	 * @param date milliseconds since 1970 by the clock of the machine, which may be corrected
	 */
	constructor(
		file = ':memory:',
		synchronous: Synchronous = 'NORMAL',
		private readonly clock: () => number = Date.now,
		private readonly date: () => number = Date.now,
	) {
		this.database = new DatabaseSync(file);
		try {
			// The first transaction takes the lock, and keeps it.
			this.execute(
				`PRAGMA locking_mode = EXCLUSIVE;
				PRAGMA journal_mode = WAL;
				PRAGMA secure_delete = ON;
				PRAGMA synchronous = ${synchronous};
				BEGIN IMMEDIATE;
				COMMIT`,
			);
		} catch (error) {
			this.database.close();
			throw error;
		}
	}

	/** Does work to its end. */
	perform<T>(work: Sql<T>): T {
		let step = work.next();
		while (!step.done) step = this.advance(work, step.value);
		return step.value;
	}

	private advance<T>(work: Sql<T>, statements: readonly Statement[]) {
		let outcomes: Outcome[];
		try {
			outcomes = statements.map((statement) => this.outcomeOf(statement));
		} catch (error) {
			return work.throw(error);
		}
		return work.next(outcomes);
	}

	private outcomeOf({ text, values, givesRows }: Statement): Outcome {
		const { statement, clock } = this.prepare(text, values.length + 1);
		const all = clock ? [...values, clock()] : values;
		if (givesRows) return { rows: statement.all(...all), changes: 0 };
		return { rows: [], changes: statement.run(...all).changes };
	}

	/** Runs statements without values. */
	execute(text: string): void {
		this.database.exec(text);
	}

	/** Whether a transaction was begun, and met nothing for which SQLite itself has undone it. */
	get isInTransaction(): boolean {
		return this.database.isTransaction;
	}

	/** Lets go of what a transaction that met an error has begun. */
	rollBack(): void {
		if (this.isInTransaction) this.execute('ROLLBACK');
	}

	/** Closes the file. */
	close(): void {
		this.statements.clear();
		try {
			// The connection lives as long as its statements, which will be collected some time later: it must not keep the lock.
			this.execute(
				'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema',
			);
		} catch {
			// This may fail, e.g. on a full disk. Everything written is kept nevertheless, and the next process cleans up.
		}
		this.database.close();
	}

	/** @param placeOfNow the clock's place among the values */
	private prepare(text: string, placeOfNow: number): Prepared {
		const known = this.statements.get(text);
		if (known) return known;
		const statement = this.database.prepare(
			text
				.replaceAll(/\$(?=\d)/g, '?')
				.replaceAll(CLOCKS, `?${placeOfNow}`)
				.replace(/ FOR UPDATE( SKIP LOCKED)?/, ''),
		);
		const [named] = text.match(CLOCKS) ?? [];
		const clocks = new Map([
			[':now', this.clock],
			[':date', this.date],
		]);
		const prepared = { statement, clock: clocks.get(named ?? '') };
		this.statements.set(text, prepared);
		return prepared;
	}
}
