import type { Brief } from '../domain/brief';
import type { Change } from '../domain/draft';
import type {
	Execution,
	ExecutionState,
	Owner,
	Status,
	StreamEvent,
	Told,
	TokenUsage,
} from '../domain/execution';
import type { CallbackAuthentication, DueCallback } from '../domain/targets';

/**
 * The truth about all executions of a deployment. What a store has taken survives the end of the process (unless it says
 * otherwise). What it has not taken did not happen, and nobody may be told about it. Every method rejects with a
 * {@link StoreUnavailable} if the store cannot be read or written now.
 */
export interface Store {
	/**
	 * Takes a new execution, with its first events and callbacks.
	 *
	 * @param once the key by which a repeated request is recognized
	 * @returns the earlier kickoff with the same key, if there is one: then nothing new is stored
	 */
	create(change: Change, once?: KickoffKey): Promise<EarlierKickoff | undefined>;
	/**
	 * Has a worker claim in the same transaction in which a new execution is taken.
	 *
	 * @param findPlace asked for each new execution; gives none if the worker takes nothing now
	 */
	offer(findPlace: () => Place | undefined): void;
	/** An execution by its current identifier. */
	get(kickoffId: string): Promise<Stored | undefined>;
	/** The same without large fields, which may have megabytes. */
	getBrief(kickoffId: string): Promise<StoredBrief | undefined>;
	/** The same with all that clients are told. */
	getTold(kickoffId: string): Promise<Told | undefined>;
	/** The same as a whole by its key. */
	getByKey(key: number): Promise<Stored | undefined>;
	/** The newest executions, the newest first. */
	list(limit: number): Promise<Execution[]>;
	/**
	 * Summaries of executions that match a query, the newest first. One call searches a limited number of executions: if there
	 * is a `next`, there may be more, even if this call has found none.
	 */
	find(query: Query): Promise<{ found: Summary[]; next?: number }>;
	/**
	 * Takes the next state of an execution together with its events and callbacks: all of it, or nothing.
	 *
	 * @param before the state that the change is based on
	 * @param lease of the worker that makes the change; without one, a client makes it
	 * @returns the execution in its new state; `'outdated'` if `before` is not the newest state, and `'lost'` if the lease is
	 *   not the newest: then nothing has changed
	 */
	commit(before: Stored, change: Change, lease?: Lease): Promise<Stored | 'outdated' | 'lost'>;
	/**
	 * Gives a worker executions to work on: queued ones, and those whose lease another worker did not renew in time (a worker
	 * keeps its own, e.g. after its machine slept). Those that had begun come first, then the oldest. They become `running`.
	 *
	 * @param limit how many at most
	 */
	claim(worker: string, limit: number): Promise<Claimed[]>;
	/**
	 * Keeps the leases of a worker for another {@link LEASE_TIME}.
	 *
	 * @param takesMore whether other workers should leave it the executions for which its server is preferred; default `true`
	 * @returns the keys of its executions, with the newest version of each
	 */
	renew(worker: string, takesMore?: boolean): Promise<Map<number, number>>;
	/** Milliseconds until a lease of another worker ends, unless it is renewed; `undefined` if there is none. */
	nextLapse(worker: string): Promise<number | undefined>;
	/** The first events of an execution after a number (from 1), the oldest first. */
	events(kickoffId: string, after: number, limit: number): Promise<StreamEvent[]>;
	/**
	 * Claims callbacks to send within {@link LEASE_TIME}. For each execution and URL, only the first unsettled one is sent, so
	 * that they arrive in order; but a question or an end does not wait for earlier ones that failed and will be tried again.
	 *
	 * @param except URLs, and origins of URLs, that have no room at the moment: their callbacks are left alone
	 */
	claimCallbacks(limit: number, except: readonly string[]): Promise<ClaimedCallback[]>;
	/** Milliseconds until the next callback is tried again; `undefined` if none is waiting for that. */
	nextCallback(): Promise<number | undefined>;
	/** Records an attempt and its consequence; for another attempt, `after` is in milliseconds from now. */
	settle(callback: ClaimedCallback, attempt: CallbackAttempt, fate: Fate): Promise<void>;
	/** Returns callbacks that were claimed but not tried to the end. */
	releaseCallbacks(callbacks: readonly ClaimedCallback[]): Promise<void>;
	/** The newest callbacks, each with its outcome, the oldest first. */
	callbacks(limit: number): Promise<CallbackRecord[]>;
	/** The callbacks of an execution, the oldest first. */
	callbacksOf(key: number): Promise<CallbackRecord[]>;
	/**
	 * Lets a callback that was given up be sent again, with as many attempts as a new one.
	 *
	 * @param authentication is not stored with the callback, so it is given again
	 * @returns whether there is such a callback with its whole body
	 */
	sendAgain(
		key: number,
		callbackId: string,
		authentication: CallbackAuthentication | undefined,
	): Promise<boolean>;
	/** Removes one execution that has ended, its events and callbacks included. */
	forget(kickoffId: string): Promise<void>;
	/** How many executions are in a state. */
	count(state: ExecutionState): Promise<number>;
	/** What is still to be done. */
	backlog(): Promise<Backlog>;
	/** What this process has done. */
	readonly tally: Readonly<Tally>;
	/** Calls the listener for each change, here or in another process, once it is stored. @returns a function that ends this */
	onChange(listener: ChangeListener): () => void;
	/** Whether other processes use it, too. */
	readonly isShared: boolean;
	/** Why it cannot be written at the moment: the error of the last write. `undefined` if nothing is wrong. */
	readonly problem: string | undefined;
	/** Resolves once what was begun is done. */
	close(): Promise<void>;
}

/** Milliseconds after which a lease ends if nobody renews it. */
export const LEASE_TIME = 30_000;

/** The key by which a kickoff is recognized for a day. */
export interface KickoffKey {
	key: string;
	/** A digest of its body. */
	digest: string;
}

/** `other_body`: the key belongs to a different kickoff. */
export type EarlierKickoff = { kickoffId: string } | 'other_body';

/** How many events of one execution are kept. */
export const KEPT_EVENTS = 10_000;

/** A search for executions. */
export interface Query {
	/** How many at most. */
	limit: number;
	/** Only executions before this key: the `next` of an answer. */
	before?: number;
	status?: Status;
	owner?: Owner;
	/** When they were kicked off: at or after `from`, and before `to`, in milliseconds since 1970. */
	from?: number;
	to?: number;
	/** A text in their identifier, their inputs or their `meta`, in either case. */
	text?: string;
}

/** What is still to be done, by any process. */
export interface Backlog {
	/** How many executions have not ended, by their state. */
	unfinished: Record<'queued' | 'running' | 'pending_human_input', number>;
	/** Milliseconds for which the oldest queued execution has waited; 0 if there is none. */
	longestWait: number;
	/** How many callbacks are neither delivered nor given up. */
	callbacks: number;
}

/** What one process has done since its start. */
export interface Tally {
	/** How many executions have ended in it, by their state. */
	ended: Record<'completed' | 'failed' | 'stopped', number>;
	/** How many it has taken over from workers that did not finish them. */
	takeovers: number;
}

/** A summary of an execution. */
export interface Summary {
	key: number;
	kickoffId: string;
	status: Status;
	owner: Owner;
	/** The beginning of their JSON. */
	inputs: string;
	tokenUsage: TokenUsage;
	tasks: { completed: number; all: number };
	error?: string;
	startedAt: number;
	finishedAt?: number;
}

/** An execution in the store. It is shared, and must not be modified. */
export interface Stored {
	/** Stays the same, even under a new identifier. */
	readonly key: number;
	/** Increases with each commit. */
	readonly version: number;
	readonly execution: Execution;
}

/** An execution without large fields, and the whole one, if it was at hand or nothing in it is large. */
export interface StoredBrief {
	readonly key: number;
	readonly version: number;
	readonly brief: Brief;
	readonly whole?: Execution;
}

/** A worker's right to write. A newer claim has a larger epoch, and ends it. */
export interface Lease {
	readonly worker: string;
	readonly epoch: number;
}

export interface Claimed extends Stored {
	readonly lease: Lease;
	/** Whether another worker had it, and did not finish. */
	readonly wasInterrupted: boolean;
	/** Whether it began with another version of the project, and no server with that version is left. */
	readonly isOfOtherProject: boolean;
	/** Whether it has written files on another machine, and no server is left there. */
	readonly filesAreElsewhere: boolean;
}

/** Where a worker begins what it is given with a new execution. */
export interface Place {
	readonly worker: string;
	/** Told once what it is given, at most one: an older execution comes first. */
	take(claimed: readonly Claimed[]): void;
}

/** Called with a change; `undefined` if other processes may have changed anything. */
export type ChangeListener = (change: StoreChange | undefined) => void;

/** Something about an execution, or a callback of it, has changed. */
export interface StoreChange {
	readonly key: number;
	readonly kickoffId: string;
	/** The identifier before the change, which usually is the same. */
	readonly before: string;
	readonly state: ExecutionState;
	readonly version: number;
	/** Whether there are new callbacks to send. */
	readonly hasCallbacks: boolean;
}

/** A callback to send now. */
export interface ClaimedCallback extends DueCallback {
	/** How often it has been tried before. */
	readonly tries: number;
	/** Why it can never be sent: it cannot be read. */
	readonly damage?: string;
}

/** `after`: milliseconds until the next try. */
export type Fate = { fate: 'delivered' | 'given_up' } | { fate: 'due'; after: number };

/** One attempt to deliver a callback: either the status of the answer, or why there was none. */
export interface CallbackAttempt {
	/** Milliseconds since 1970. */
	at: number;
	status?: number;
	problem?: string;
}

/** A callback with its outcome. */
export interface CallbackRecord extends Omit<DueCallback, 'held' | 'authentication'> {
	/** Only `{ bytes }`, its length, if it is long and was delivered, or very long and was given up. */
	body: Record<string, unknown>;
	fate: 'due' | 'delivered' | 'given_up';
	attempts: CallbackAttempt[];
}

/** The store cannot be used now, e.g. because its disk is full. */
export class StoreUnavailable extends Error {
	override readonly name = 'StoreUnavailable';
}
