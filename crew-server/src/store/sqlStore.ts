import type { Change } from '../domain/draft';
import {
	hasEnded,
	type Execution,
	type ExecutionState,
	type StreamEvent,
} from '../domain/execution';
import { CallbackTable } from './callbackTable';
import type { CallbackAuthentication } from '../domain/targets';
import { EventTable } from './eventTable';
import { ExecutionSearch } from './executionSearch';
import { ExecutionTable } from './executionTable';
import { Retention, type RetentionLimits } from './retention';
import type { Sqlite } from './sqlite';
import {
	StoreUnavailable,
	type CallbackAttempt,
	type CallbackRecord,
	type Claimed,
	type ClaimedCallback,
	type Fate,
	type Lease,
	type Query,
	type Store,
	type StoreChange,
	type Stored,
	type Summary,
} from './store';
import { StoredCache, type Sized } from './storedCache';
import { unavailable, Writes, type Written } from './writes';

export interface SqlStoreSettings {
	retention: RetentionLimits;
	/** Milliseconds since 1970; it never goes back. */
	clock: () => number;
	/** Takes what an operator should know. */
	log: (message: string) => void;
}

/** Keeps everything in a database that this process alone uses. */
export class SqlStore implements Store {
	private readonly cache = new StoredCache();
	private readonly executions: ExecutionTable;
	private readonly search: ExecutionSearch;
	private readonly eventTable: EventTable;
	private readonly callbackTable: CallbackTable;
	private readonly retention: Retention;
	private readonly writes: Writes;
	private readonly listeners = new Set<(change: StoreChange) => void>();
	private isTidying = false;
	private isClosed = false;

	constructor(
		private readonly sqlite: Sqlite,
		{ retention, clock, log }: SqlStoreSettings,
	) {
		this.executions = new ExecutionTable(sqlite, this.cache, clock, log);
		this.search = new ExecutionSearch(sqlite, this.executions);
		this.eventTable = new EventTable(sqlite);
		this.callbackTable = new CallbackTable(sqlite, clock);
		this.retention = new Retention(sqlite, this.eventTable, retention);
		this.writes = new Writes(sqlite, (written) => {
			this.committed(written);
		});
		// Nobody else works on anything: the processes that did are gone.
		this.executions.takeOver();
		this.callbackTable.takeOver();
		this.tidy();
	}

	get problem(): string | undefined {
		return this.isClosed ? undefined : this.writes.problem;
	}

	create(change: Change): Promise<void> {
		return this.write(() => {
			const stored = this.executions.insert(change.execution);
			return this.taken(stored, change.execution.kickoffId, change, undefined);
		});
	}

	commit(before: Stored, change: Change, lease?: Lease): Promise<Stored | 'outdated' | 'lost'> {
		return this.write<Stored | 'outdated' | 'lost'>(() => {
			const stored = this.executions.update(before, change.execution, lease);
			if (typeof stored === 'string') return { value: stored };
			return this.taken(stored, before.execution.kickoffId, change, stored);
		});
	}

	/** Writes what belongs to the next state of an execution. */
	private taken<T>(stored: Sized, before: string, change: Change, value: T): Written<T> {
		const { key, version, execution } = stored;
		const { kickoffId, state } = execution;
		this.callbackTable.insert(key, this.eventTable.insert(key, before, change));
		if (hasEnded(execution)) this.retention.weigh(key);
		const hasCallbacks = change.callbacks.length > 0;
		return {
			value,
			stored: [stored],
			changes: [{ key, kickoffId, before, state, version, hasCallbacks }],
		};
	}

	get(kickoffId: string): Promise<Stored | undefined> {
		return this.read(() => this.executions.find(kickoffId));
	}

	getByKey(key: number): Promise<Stored | undefined> {
		return this.read(() => this.executions.findByKey(key));
	}

	list(limit: number): Promise<Execution[]> {
		return this.read(() => this.executions.newest(limit));
	}

	find(query: Query): Promise<{ found: Summary[]; next?: number }> {
		return this.read(() => this.search.find(query));
	}

	claim(worker: string, limit: number): Promise<Claimed[]> {
		return this.write(() => {
			const claimed = this.executions.claim(worker, limit);
			const changes = claimed.map(({ key, version, execution: { kickoffId, state } }) => ({
				key,
				kickoffId,
				before: kickoffId,
				state,
				version,
				hasCallbacks: false,
			}));
			return { value: claimed, stored: claimed, changes };
		});
	}

	renew(worker: string): Promise<Set<number>> {
		return this.write(() => ({ value: this.executions.renew(worker) }));
	}

	events(kickoffId: string, after: number, limit: number): Promise<StreamEvent[]> {
		return this.read(() => this.eventTable.after(kickoffId, after, limit));
	}

	claimCallbacks(limit: number, except: readonly string[]): Promise<ClaimedCallback[]> {
		return this.write(() => ({ value: this.callbackTable.claim(limit, except) }));
	}

	nextCallback(): Promise<number | undefined> {
		return this.read(() => this.callbackTable.next());
	}

	settle(callback: ClaimedCallback, attempt: CallbackAttempt, fate: Fate): Promise<void> {
		return this.write(() => {
			const settled = this.callbackTable.settle(callback, attempt, fate);
			const change = settled && this.executions.changeOf(settled.key, settled.hasNext);
			return { value: undefined, changes: change ? [change] : [] };
		});
	}

	releaseCallbacks(callbacks: readonly ClaimedCallback[]): Promise<void> {
		return this.write(() => {
			for (const callback of callbacks) this.callbackTable.release(callback);
			return { value: undefined };
		});
	}

	callbacks(limit: number): Promise<CallbackRecord[]> {
		return this.read(() => this.callbackTable.newest(limit));
	}

	callbacksOf(key: number): Promise<CallbackRecord[]> {
		return this.read(() => this.callbackTable.of(key));
	}

	sendAgain(
		key: number,
		callbackId: string,
		authentication: CallbackAuthentication | undefined,
	): Promise<boolean> {
		return this.write(() => {
			const isDue = this.callbackTable.sendAgain(key, callbackId, authentication);
			const change = isDue ? this.executions.changeOf(key, true) : undefined;
			return { value: isDue, changes: change ? [change] : [] };
		});
	}

	forget(kickoffId: string): Promise<void> {
		return this.write(() => {
			const change = this.retention.forget(kickoffId);
			return { value: undefined, changes: change ? [change] : [] };
		});
	}

	count(): Promise<Record<ExecutionState, number>> {
		return this.read(() => this.executions.count());
	}

	onChange(listener: (change: StoreChange) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	close(): Promise<void> {
		if (this.isClosed) return Promise.resolve();
		return new Promise((resolve) => {
			this.writes.flush();
			this.isClosed = true;
			this.sqlite.close();
			resolve();
		});
	}

	private read<T>(read: () => T): Promise<T> {
		return new Promise((resolve) => {
			this.refuseIfClosed();
			try {
				resolve(read());
			} catch (error) {
				throw unavailable(error);
			}
		});
	}

	private async write<T>(write: () => Written<T>): Promise<T> {
		this.refuseIfClosed();
		return await this.writes.add(write);
	}

	private refuseIfClosed(): void {
		if (this.isClosed) throw new StoreUnavailable('it is closed');
	}

	private committed({ changes = [], stored = [] }: Written<unknown>): void {
		for (const one of stored) this.cache.set(one);
		for (const change of changes) for (const listener of this.listeners) listener(change);
		if (changes.some(hasEnded)) this.tidy();
	}

	/** Removes piece by piece what need not be kept. */
	private tidy(): void {
		if (this.isTidying) return;
		this.isTidying = true;
		const removeSome = () => {
			const changes = this.retention.removeSome();
			return { value: changes !== undefined, changes };
		};
		const goOn = (isMore: boolean): void => {
			if (isMore && !this.isClosed) this.write(removeSome).then(goOn, stop);
			else stop();
		};
		// What is left for now goes with what ends next.
		const stop = () => {
			this.isTidying = false;
		};
		goOn(true);
	}
}
