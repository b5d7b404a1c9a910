import type { Sql } from './sql';
import type { StoreChange } from './store';
import type { Sized } from './storedCache';

/** The result of a committed write. */
export interface Written<T> {
	value: T;
	changes?: readonly StoreChange[];
	/** The executions in their new state. */
	stored?: readonly Sized[];
}

/** Called with what other processes have written; `undefined` if that could be anything. */
export type OthersListener = (changes: readonly StoreChange[] | undefined) => void;

/** Does the work of a store. Rejects with a `StoreUnavailable` if that is not possible now. */
export interface Database {
	/** Reads something. */
	read<T>(work: () => Sql<T>): Promise<T>;
	/**
	 * Writes something: all of it, or nothing.
	 *
	 * @param isAwaited a client waits for it, so that it need not wait for everything else
	 * @returns what it gives, once that is kept
	 */
	write<T>(work: () => Sql<Written<T>>, isAwaited?: boolean): Promise<T>;
	/** Tells a listener about each committed write, before the caller of that write. */
	onWritten(listener: (written: Written<unknown>) => void): void;
	/** Tells a listener what other processes write, if there can be any. */
	onOthers?(listener: OthersListener): void;
	/** Why the last write failed; checks now and then whether writing works again. */
	readonly problem: string | undefined;
	/** Resolves once all work that has begun is done. */
	close(): Promise<void>;
}
