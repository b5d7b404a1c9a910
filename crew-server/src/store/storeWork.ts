import type { Change } from '../domain/draft';
import { hasEnded } from '../domain/execution';
import type { CallbackAuthentication } from '../domain/targets';
import { CallbackTable } from './callbackTable';
import { cutWaits } from './cutWaits';
import type { Written } from './database';
import { EventTable } from './eventTable';
import { ExecutionReader } from './executionReader';
import { ExecutionTable } from './executionTable';
import { KickoffKeys } from './kickoffKeys';
import { Retention, type RetentionLimits } from './retention';
import { ServerTable, type ServerIdentity } from './serverTable';
import type { Sql } from './sql';
import type {
	Backlog,
	CallbackAttempt,
	Claimed,
	ClaimedCallback,
	EarlierKickoff,
	Fate,
	KickoffKey,
	Lease,
	StoreChange,
	Stored,
} from './store';
import type { Sized, StoredCache } from './storedCache';

export interface WorkSettings {
	retention: RetentionLimits;
	/** How many executions all servers of a database run at once (default: any number). */
	fleetParallel?: number;
	/** Which of the servers that share a database this is. */
	server?: ServerIdentity;
	/** Takes what an operator should know. */
	log: (message: string) => void;
}

/** What comes of a new execution. */
interface Created {
	/** There was one with its key. */
	earlier?: EarlierKickoff;
	/** What a worker is given with it. */
	claimed: Claimed[];
}

/** The work of a store, across all tables. */
export class StoreWork {
	readonly executions: ExecutionTable;
	readonly reader: ExecutionReader;
	readonly events = new EventTable();
	readonly callbacks = new CallbackTable();
	private readonly keys = new KickoffKeys();
	private readonly servers: ServerTable;
	private readonly retention: Retention;

	constructor(cache: StoredCache, { retention, fleetParallel, server, log }: WorkSettings) {
		this.servers = new ServerTable(server);
		this.reader = new ExecutionReader(cache, log);
		const parallel = fleetParallel ?? Infinity;
		this.executions = new ExecutionTable(cache, this.reader, parallel, server ?? {});
		this.retention = new Retention(this.events, retention);
	}

	/** @param worker claims one, if there is one */
	*create(change: Change, once?: KickoffKey, worker?: string): Sql<Written<Created>> {
		const { kickoffId } = change.execution;
		const earlier = once && (yield* this.keys.take(once, kickoffId));
		if (earlier) return { value: { earlier, claimed: [] } };
		const inserted = yield* this.executions.insert(change.execution);
		const taken = yield* this.taken(inserted, kickoffId, change, { claimed: [] });
		if (worker === undefined) return taken;
		const { value: claimed, stored, changes } = yield* this.claim(worker, 1, inserted);
		const isClaimed = claimed.some(({ key }) => key === inserted.key);
		const hasCallbacks = change.callbacks.length > 0;
		return {
			value: { claimed },
			stored: [...taken.stored, ...stored],
			// If it is claimed, nobody else need look for it.
			changes: isClaimed
				? changes.map((one) => ({ ...one, hasCallbacks }))
				: [...taken.changes, ...changes],
		};
	}

	*commit(
		before: Stored,
		change: Change,
		lease?: Lease,
	): Sql<Written<Stored | 'outdated' | 'lost'>> {
		const stored = yield* this.executions.update(before, change.execution, lease);
		if (typeof stored === 'string') return { value: stored };
		return yield* this.taken(stored, before.execution.kickoffId, change, stored);
	}

	/** Writes the events and callbacks of an execution's next state. */
	private *taken<T>(
		stored: Sized,
		before: string,
		change: Change,
		value: T,
	): Sql<Required<Written<T>>> {
		const { key, version, execution } = stored;
		const { kickoffId, state } = execution;
		const due = yield* this.events.insert(key, before, change);
		yield* this.callbacks.insert(key, due, execution);
		if (hasEnded(execution)) yield* this.retention.weigh(key);
		const hasCallbacks = change.callbacks.length > 0;
		return {
			value,
			stored: [stored],
			changes: [{ key, kickoffId, before, state, version, hasCallbacks }],
		};
	}

	*claim(
		worker: string,
		limit: number,
		created?: Sized,
	): Sql<Required<Written<Array<Claimed & Sized>>>> {
		const claimed = yield* this.executions.claim(worker, limit, created);
		const changes = claimed.map(({ key, version, execution: { kickoffId, state } }) => ({
			key,
			kickoffId,
			before: kickoffId,
			state,
			version,
			hasCallbacks: false,
		}));
		return { value: claimed, stored: claimed, changes };
	}

	*renew(worker: string, takesMore: boolean): Sql<Written<Map<number, number>>> {
		yield* cutWaits();
		yield* this.servers.note(worker, takesMore);
		return { value: yield* this.executions.renew(worker) };
	}

	*backlog(): Sql<Backlog> {
		return {
			unfinished: {
				queued: yield* this.executions.count('queued'),
				running: yield* this.executions.count('running'),
				pending_human_input: yield* this.executions.count('pending_human_input'),
			},
			longestWait: yield* this.executions.longestWait(),
			callbacks: yield* this.callbacks.unsettled(),
		};
	}

	*claimCallbacks(
		limit: number,
		except: readonly string[],
	): Sql<Written<{ claimed: ClaimedCallback[]; isMore: boolean }>> {
		return { value: yield* this.callbacks.claim(limit, except) };
	}

	*settle(callback: ClaimedCallback, attempt: CallbackAttempt, fate: Fate): Sql<Written<void>> {
		const settled = yield* this.callbacks.settle(callback, attempt, fate);
		const change = settled && (yield* this.executions.changeOf(settled.key, settled.hasNext));
		return { value: undefined, changes: change ? [change] : [] };
	}

	*releaseCallbacks(callbacks: readonly ClaimedCallback[]): Sql<Written<void>> {
		for (const callback of callbacks) yield* this.callbacks.release(callback);
		return { value: undefined };
	}

	*sendAgain(
		key: number,
		callbackId: string,
		authentication: CallbackAuthentication | undefined,
	): Sql<Written<boolean>> {
		const isDue = yield* this.callbacks.sendAgain(key, callbackId, authentication);
		const change = isDue ? yield* this.executions.changeOf(key, true) : undefined;
		return { value: isDue, changes: change ? [change] : [] };
	}

	*forget(kickoffId: string): Sql<Written<void>> {
		const change = yield* this.retention.forget(kickoffId);
		return { value: undefined, changes: change ? [change] : [] };
	}

	/** Removes some of what need not be kept. @returns whether there may be more to remove */
	*removeSome(): Sql<Written<boolean>> {
		const changes: readonly StoreChange[] | undefined = yield* this.retention.removeSome();
		return { value: changes !== undefined, changes };
	}
}
