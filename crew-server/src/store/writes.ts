import { isDamage, isOfTheDatabase, type Sqlite } from './sqlite';
import { StoreUnavailable, type StoreChange } from './store';
import type { Sized } from './storedCache';

/** What a write has done, once it is committed. */
export interface Written<T> {
	value: T;
	changes?: readonly StoreChange[];
	/** Executions as they are from then on. */
	stored?: readonly Sized[];
}

interface Write {
	run: () => Written<unknown>;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Milliseconds for one transaction: what else is to be written lets others have their turn first. */
const MOST_TIME = 20;
/** Milliseconds after a failed write in which it is taken for granted that the next one would fail, too. */
const BETWEEN_PROBES = 1_000;

/** Makes one transaction of all writes of a tick: it costs hardly more than a single one. */
export class Writes {
	private readonly waiting: Write[] = [];
	private isPlanned = false;
	private failure: { problem: string; at: number } | undefined;

	/** @param onCommitted hears of each write that is kept, before its caller does */
	constructor(
		private readonly sqlite: Sqlite,
		private readonly onCommitted: (written: Written<unknown>) => void,
	) {}

	/** Why the last write could not be made; looks now and then whether one can be made again. */
	get problem(): string | undefined {
		if (this.failure && performance.now() - this.failure.at > BETWEEN_PROBES) this.transact([]);
		return this.failure?.problem;
	}

	/**
	 * @param run makes the whole write, or throws
	 * @returns what it gives, once that is kept
	 */
	add<T>(run: () => Written<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.plan();
			this.waiting.push({ run, resolve: resolve as Write['resolve'], reject });
		});
	}

	/** Writes all that waits. */
	flush(): void {
		while (this.waiting.length > 0) this.transact(this.waiting);
	}

	private plan(): void {
		if (this.isPlanned) return;
		this.isPlanned = true;
		setImmediate(() => {
			this.isPlanned = false;
			if (this.waiting.length === 0) return;
			this.transact(this.waiting);
			this.plan();
		});
	}

	/** Takes what it writes off the list. */
	private transact(waiting: Write[]): void {
		const begun: Write[] = [];
		const ends: Array<() => void> = [];
		const until = performance.now() + MOST_TIME;
		try {
			this.sqlite.execute('BEGIN IMMEDIATE');
			if (this.failure) this.probe();
			do {
				const write = waiting.shift();
				if (!write) break;
				begun.push(write);
				ends.push(this.attempt(write));
			} while (performance.now() < until);
			this.sqlite.execute('COMMIT');
		} catch (error) {
			this.fail(error, begun.length > 0 ? begun : waiting.splice(0));
			return;
		}
		this.failure = undefined;
		for (const end of ends) end();
	}

	/** Makes one write, or what is left of it undone. @returns tells its caller, once all is committed */
	private attempt({ run, resolve, reject }: Write): () => void {
		this.sqlite.execute('SAVEPOINT one');
		try {
			const written = run();
			this.sqlite.execute('RELEASE one');
			return () => {
				this.onCommitted(written);
				resolve(written.value);
			};
		} catch (error) {
			if (isOfTheDatabase(error)) throw error;
			this.sqlite.execute('ROLLBACK TO one; RELEASE one');
			return () => {
				reject(isDamage(error) ? unavailable(error) : error);
			};
		}
	}

	private fail(error: unknown, writes: readonly Write[]): void {
		this.failure = { problem: (error as Error).message, at: performance.now() };
		for (const { reject } of writes) reject(unavailable(error));
		this.sqlite.rollBack();
	}

	/** Writes something: what else is in the transaction may turn out to change nothing. */
	private probe(): void {
		this.sqlite.run('INSERT INTO removed (key) VALUES (0)');
		this.sqlite.run('DELETE FROM removed WHERE key = 0');
	}
}

/** What the callers of the store get for an error of the database. */
export function unavailable(error: unknown): StoreUnavailable {
	return new StoreUnavailable((error as Error).message, { cause: error });
}
