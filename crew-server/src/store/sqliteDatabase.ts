import { isDamage, isOfTheDatabase, type Sqlite } from './sqlite';
import type { Database, Written } from './database';
import { run, type Sql } from './sql';
import { StoreUnavailable } from './store';

interface Write {
	work: () => Sql<Written<unknown>>;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Milliseconds for one transaction. Further writes let others have their turn first. */
const MOST_TIME = 20;

/**
 * Every so many turns, it is the turn of a write for which a client waits. A usual execution leads to about as many others, so
 * that kickoffs do not outrun the work that they cause.
 */
const TURNS = 8;

/** Milliseconds after a failed write in which the next one is assumed to fail, too. */
const BETWEEN_PROBES = 1_000;

/**
 * A SQLite file. All writes of a tick share one transaction, which costs hardly more than a single write. Those for which a
 * client waits take turns with the others, since a large execution leads to many.
 */
export class SqliteDatabase implements Database {
	private readonly waiting = { awaited: [] as Write[], others: [] as Write[] };
	private turn = 0;
	private isPlanned = false;
	private failure: { problem: string; at: number } | undefined;

	private tell: (written: Written<unknown>) => void = () => undefined;

	constructor(private readonly sqlite: Sqlite) {}

	onWritten(listener: (written: Written<unknown>) => void): void {
		this.tell = listener;
	}

	get problem(): string | undefined {
		if (this.failure && performance.now() - this.failure.at > BETWEEN_PROBES) this.transact();
		return this.failure?.problem;
	}

	read<T>(work: () => Sql<T>): Promise<T> {
		return new Promise((resolve) => {
			try {
				resolve(this.sqlite.perform(work()));
			} catch (error) {
				throw unavailable(error);
			}
		});
	}

	write<T>(work: () => Sql<Written<T>>, isAwaited = false): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.plan();
			const { awaited, others } = this.waiting;
			const write = { work, resolve: resolve as Write['resolve'], reject };
			(isAwaited ? awaited : others).push(write);
		});
	}

	close(): Promise<void> {
		return new Promise((resolve) => {
			for (let write = this.next(); write; write = this.next()) this.transact(write);
			this.sqlite.close();
			resolve();
		});
	}

	private plan(): void {
		if (this.isPlanned) return;
		this.isPlanned = true;
		setImmediate(() => {
			this.isPlanned = false;
			const first = this.next();
			if (!first) return;
			this.transact(first);
			this.plan();
		});
	}

	private next(): Write | undefined {
		this.turn = (this.turn + 1) % TURNS;
		const { awaited, others } = this.waiting;
		const [now, then] = this.turn === 0 ? [awaited, others] : [others, awaited];
		return now.shift() ?? then.shift();
	}

	/**
	 * Makes a write, and further waiting ones, in one transaction; without one, only checks that writing works.
	 *
	 * @param until when no further one is added, in milliseconds of the monotonic clock
	 */
	private transact(first?: Write, until = performance.now() + MOST_TIME): void {
		const writes = first ? [first] : [];
		const ends: Array<() => void> = [];
		try {
			this.perform('BEGIN IMMEDIATE');
			if (this.failure) this.probe();
			for (const { work, resolve } of writes) {
				const written = this.sqlite.perform(work());
				ends.push(() => {
					this.tell(written);
					resolve(written.value);
				});
				const next = performance.now() < until ? this.next() : undefined;
				if (next) writes.push(next);
			}
			this.perform('COMMIT');
		} catch (error) {
			this.undo(error, writes);
			return;
		}
		this.failure = undefined;
		for (const end of ends) end();
	}

	/** Ends a transaction that met an error. If that is one write's, the others are made nevertheless. */
	private undo(error: unknown, writes: readonly Write[]): void {
		const isOfOneWrite = !isOfTheDatabase(error) && this.sqlite.isInTransaction;
		if (!isOfOneWrite) this.failure = { problem: (error as Error).message, at: performance.now() };
		this.sqlite.rollBack();
		if (isOfOneWrite && writes.length > 1) {
			for (const write of writes) this.transact(write, 0);
			return;
		}
		const reason = isOfOneWrite && !isDamage(error) ? error : unavailable(error);
		for (const { reject } of writes) reject(reason);
	}

	/** Really writes something, since the other writes may turn out to change nothing. */
	private probe(): void {
		this.perform('INSERT INTO removed (key) VALUES (0)');
		this.perform('DELETE FROM removed WHERE key = 0');
	}

	private perform(statement: string): void {
		this.sqlite.perform(run(statement));
	}
}

function unavailable(error: unknown): StoreUnavailable {
	return new StoreUnavailable((error as Error).message, { cause: error });
}
