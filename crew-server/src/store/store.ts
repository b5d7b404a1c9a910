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
 * The truth about all executions of a deployment. What a store has taken, it keeps over the end of a process
 * (unless it says otherwise); what it has not taken did not happen, and nobody may be told of it. Every method rejects
 * with a {@link StoreUnavailable} if the store cannot be read or written now.
 */
export interface Store {
	/**
	 * Takes a new execution, with its first events and callbacks.
	 *
	 * @param once the key by which a repeated request is recognized
	 * @returns the earlier kickoff with the same key, in which case nothing new is kept
	 */
	create(change: Change, once?: KickoffKey): Promise<EarlierKickoff | undefined>;
	/** An execution by the identifier that it has now. */
	get(kickoffId: string): Promise<Stored | undefined>;
	/** The same without what is large, which may be megabytes. */
	getBrief(kickoffId: string): Promise<StoredBrief | undefined>;
	/** The same with all that clients are told. */
	getTold(kickoffId: string): Promise<Told | undefined>;
	/** The same as a whole by its key. */
	getByKey(key: number): Promise<Stored | undefined>;
	/** The newest executions, the newest first. */
	list(limit: number): Promise<Execution[]>;
	/**
	 * Summaries of executions that fit a query, the newest first. One call looks at a bounded number of executions: with
	 * a `next`, there may be more, even if it has found none.
	 */
	find(query: Query): Promise<{ found: Summary[]; next?: number }>;
	/**
	 * Takes the next state of an execution together with its events and callbacks: all of it, or nothing.
	 *
	 * @param before what the change began with
	 * @param lease of the worker that makes it; without one, it is a client's
	 * @returns the execution as it is from then on; `'outdated'` if `before` is not the newest, and `'lost'` if the
	 *   lease is not: nothing has changed then
	 */
	commit(before: Stored, change: Change, lease?: Lease): Promise<Stored | 'outdated' | 'lost'>;
	/**
	 * Gives a worker executions to work on: queued ones, and those whose lease another worker did not renew in time (its
	 * own it keeps, e.g. after its machine slept). Those that were begun before come first, then the oldest. They are
	 * `running` from then on.
	 *
	 * @param limit how many at most
	 */
	claim(worker: string, limit: number): Promise<Claimed[]>;
	/**
	 * Keeps the leases of a worker for another {@link LEASE_TIME}.
	 *
	 * @param takesMore whether others leave to it what only its server should work on; default `true`
	 * @returns the keys of the executions that it has, with the newest version of each
	 */
	renew(worker: string, takesMore?: boolean): Promise<Map<number, number>>;
	/** Milliseconds until a lease of another worker ends unless that renews it; `undefined` if there is none. */
	nextLapse(worker: string): Promise<number | undefined>;
	/** The events of an execution after one of a number (from 1), the oldest first; of many, the first ones. */
	events(kickoffId: string, after: number, limit: number): Promise<StreamEvent[]>;
	/**
	 * Callbacks to send now, for somebody who sends them within {@link LEASE_TIME}: of each execution and URL in the order
	 * in which they were due, and only the first that was not settled; but a question or an end does not wait for those
	 * before it that failed and are to be tried again.
	 *
	 * @param except URLs, and origins of URLs, that take no more at the moment: their callbacks stay where they are
	 */
	claimCallbacks(limit: number, except: readonly string[]): Promise<ClaimedCallback[]>;
	/** Milliseconds until the next callback is to be tried again, of those that have to wait; `undefined` if none has. */
	nextCallback(): Promise<number | undefined>;
	/** Notes a try, and what follows from it; `after` milliseconds from now for another one. */
	settle(callback: ClaimedCallback, attempt: CallbackAttempt, fate: Fate): Promise<void>;
	/** Gives callbacks back that were claimed and not tried to the end. */
	releaseCallbacks(callbacks: readonly ClaimedCallback[]): Promise<void>;
	/** The newest callbacks with what became of each, the oldest first. */
	callbacks(limit: number): Promise<CallbackRecord[]>;
	/** The callbacks of an execution, the oldest first. */
	callbacksOf(key: number): Promise<CallbackRecord[]>;
	/**
	 * Lets a callback of an execution that was given up be sent again, as often as a new one.
	 *
	 * @param authentication which is not kept with it
	 * @returns whether there is such a callback, with all of its body
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
	/** Tells what has changed, here or in another process, once it is kept. @returns ends that */
	onChange(listener: ChangeListener): () => void;
	/** Whether other processes use it, too. */
	readonly isShared: boolean;
	/** Why it cannot be written at the moment: what the last write met. `undefined` if nothing is wrong. */
	readonly problem: string | undefined;
	/** Resolves once what was begun is done. */
	close(): Promise<void>;
}

/** Milliseconds after which a lease lapses that nobody renews. */
export const LEASE_TIME = 30_000;

/** What a kickoff is known by for a day. */
export interface KickoffKey {
	key: string;
	/** Of its body. */
	digest: string;
}

/** `other_body`: the key is that of another kickoff. */
export type EarlierKickoff = { kickoffId: string } | 'other_body';

/** How many events of one execution are kept. */
export const KEPT_EVENTS = 10_000;

/** Which executions are asked for. */
export interface Query {
	/** How many at most. */
	limit: number;
	/** Those before this one: the `next` of an answer. */
	before?: number;
	status?: Status;
	owner?: Owner;
	/** When they were kicked off: from this one on, and before that one, in milliseconds since 1970. */
	from?: number;
	to?: number;
	/** What is in their identifier, their inputs or their `meta`, in letters of either case. */
	text?: string;
}

/** What is still to be done, by whichever process. */
export interface Backlog {
	/** How many executions have not ended, by their state. */
	unfinished: Record<'queued' | 'running' | 'pending_human_input', number>;
	/** Milliseconds for which the oldest waits that nobody works on; 0 if there is none. */
	longestWait: number;
	/** How many callbacks are neither delivered nor given up. */
	callbacks: number;
}

/** What one process has done since its start. */
export interface Tally {
	/** How many executions it has brought to an end, by their state. */
	ended: Record<'completed' | 'failed' | 'stopped', number>;
	/** How many it has claimed that another worker did not bring to an end. */
	takeovers: number;
}

/** An execution in short. */
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

/** An execution as the store has it. It is shared, and must not be changed. */
export interface Stored {
	/** Stays the same, also under another identifier. */
	readonly key: number;
	/** Rises with each commit. */
	readonly version: number;
	readonly execution: Execution;
}

/** An execution without what is large; if nothing of it is, or it was at hand, the whole of it too. */
export interface StoredBrief {
	readonly key: number;
	readonly version: number;
	readonly brief: Brief;
	readonly whole?: Execution;
}

/** The right of a worker to write: a newer claim has a larger epoch, and ends it. */
export interface Lease {
	readonly worker: string;
	readonly epoch: number;
}

export interface Claimed extends Stored {
	readonly lease: Lease;
	/** Whether another worker had it, and did not get to the end. */
	readonly wasInterrupted: boolean;
	/** Whether it was begun with another version of the project, of which no server is left. */
	readonly isOfOtherProject: boolean;
	/** Whether it has written files on another machine, on which no server is left. */
	readonly filesAreElsewhere: boolean;
}

/** Takes a change; `undefined` if others may have changed anything. */
export type ChangeListener = (change: StoreChange | undefined) => void;

/** Something about an execution, or a callback of it, has changed. */
export interface StoreChange {
	readonly key: number;
	readonly kickoffId: string;
	/** The identifier that it had before; the same unless it has a new one. */
	readonly before: string;
	readonly state: ExecutionState;
	readonly version: number;
	/** Whether there are new callbacks to send. */
	readonly hasCallbacks: boolean;
}

/** A callback to send now. */
export interface ClaimedCallback extends DueCallback {
	/** How often it was tried before. */
	readonly tries: number;
}

/** `after`: milliseconds until the next try. */
export type Fate = { fate: 'delivered' | 'given_up' } | { fate: 'due'; after: number };

/** One try to deliver a callback: either an answer's status, or why there was none. */
export interface CallbackAttempt {
	/** Milliseconds since 1970. */
	at: number;
	status?: number;
	problem?: string;
}

/** A callback with what became of it. */
export interface CallbackRecord extends Omit<DueCallback, 'held' | 'authentication'> {
	/** If it is long and was delivered, or very long and was given up, only `{ bytes }`: how long it was. */
	body: Record<string, unknown>;
	fate: 'due' | 'delivered' | 'given_up';
	attempts: CallbackAttempt[];
}

/** The store cannot be used now: its disk is full, say. */
export class StoreUnavailable extends Error {
	override readonly name = 'StoreUnavailable';
}
