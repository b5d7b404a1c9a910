import type { Sql } from './sql';
import type { StoreChange } from './store';
import type { Sized } from './storedCache';

/** What a write has done, once it is committed. */
export interface Written<T> {
	value: T;
	changes?: readonly StoreChange[];
	/** Executions as they are from then on. */
	stored?: readonly Sized[];
}

/** Takes what other processes have written; `undefined` if that may be anything. */
export type OthersListener = (changes: readonly StoreChange[] | undefined) => void;

/** Who has the work of a store done: it rejects with a `StoreUnavailable` if that cannot be done now. */
export interface Database {
	/** Has something read. */
	read<T>(work: () => Sql<T>): Promise<T>;
	/**
	 * Writes something: all of it, or nothing.
	 *
	 * @returns what it gives, once that is kept
	 */
	write<T>(work: () => Sql<Written<T>>): Promise<T>;
	/** Tells a listener of each write that is kept, before its caller. */
	onWritten(listener: (written: Written<unknown>) => void): void;
	/** Tells a listener of what other processes write, if they can. */
	onOthers?(listener: OthersListener): void;
	/** Why the last write could not be made; looks now and then whether one can be made again. */
	readonly problem: string | undefined;
	/** Resolves once what was begun is done. */
	close(): Promise<void>;
}
