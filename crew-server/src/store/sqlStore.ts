import type { Change } from '../domain/draft';
import {
	hasEnded,
	type Execution,
	type ExecutionState,
	type StreamEvent,
	type Told,
} from '../domain/execution';
import type { CallbackAuthentication } from '../domain/targets';
import type { Database, Written } from './database';
import { ExecutionSearch } from './executionSearch';
import type { Sql } from './sql';
import {
	StoreUnavailable,
	type Backlog,
	type CallbackAttempt,
	type CallbackRecord,
	type ChangeListener,
	type Claimed,
	type ClaimedCallback,
	type EarlierKickoff,
	type Fate,
	type KickoffKey,
	type Lease,
	type Place,
	type Query,
	type Store,
	type StoreChange,
	type Stored,
	type StoredBrief,
	type Summary,
	type Tally,
} from './store';
import { StoredCache } from './storedCache';
import { StoreWork, type WorkSettings } from './storeWork';

/** Milliseconds between two searches for executions to remove. */
const BETWEEN_LOOKS = 1_000;

/** Milliseconds between two searches for executions that have become too old. */
const LONGEST_PAUSE = 600_000;

/** Keeps everything in a database. */
export class SqlStore implements Store {
	readonly tally: Tally = { ended: { completed: 0, failed: 0, stopped: 0 }, takeovers: 0 };
	private readonly cache = new StoredCache();
	private readonly work: StoreWork;
	private readonly search = new ExecutionSearch((work) => this.read(work));
	private readonly listeners = new Set<ChangeListener>();
	private claiming: Promise<unknown> = Promise.resolve();
	private findPlace: () => Place | undefined = () => undefined;
	private isTidying = false;
	private hasToTidy = false;
	private timer: NodeJS.Timeout | undefined;
	private isClosed = false;

	constructor(
		private readonly database: Database,
		settings: WorkSettings,
	) {
		this.work = new StoreWork(this.cache, settings);
		database.onWritten((written) => {
			this.written(written);
		});
		database.onOthers?.((changes) => {
			if (changes) for (const change of changes) this.tell(change);
			else this.tell(undefined);
		});
		this.tidy();
		const { age = Infinity } = settings.retention;
		if (age === Infinity) return;
		this.timer = setInterval(
			() => {
				this.tidy();
			},
			Math.min(age, LONGEST_PAUSE),
		);
	}

	get isShared(): boolean {
		return this.database.onOthers !== undefined;
	}

	get problem(): string | undefined {
		return this.isClosed ? undefined : this.database.problem;
	}

	async create(change: Change, once?: KickoffKey): Promise<EarlierKickoff | undefined> {
		const place = this.findPlace();
		if (!place) return (await this.writeForClient(() => this.work.create(change, once))).earlier;
		let claimed: Claimed[] = [];
		try {
			const created = await this.inTurn(() =>
				this.writeForClient(() => this.work.create(change, once, place.worker)),
			);
			({ claimed } = created);
			return created.earlier;
		} finally {
			this.countTakeovers(claimed);
			place.take(claimed);
		}
	}

	offer(findPlace: () => Place | undefined): void {
		this.findPlace = findPlace;
	}

	async commit(
		before: Stored,
		change: Change,
		lease?: Lease,
	): Promise<Stored | 'outdated' | 'lost'> {
		const outcome = await this.write(
			() => this.work.commit(before, change, lease),
			lease === undefined,
		);
		const { state } = change.execution;
		if (typeof outcome !== 'string' && isEnd(state)) this.tally.ended[state] += 1;
		return outcome;
	}

	get(kickoffId: string): Promise<Stored | undefined> {
		return this.read(() => this.work.reader.find(kickoffId));
	}

	getBrief(kickoffId: string): Promise<StoredBrief | undefined> {
		return this.read(() => this.work.reader.findBrief(kickoffId));
	}

	getTold(kickoffId: string): Promise<Told | undefined> {
		return this.read(() => this.work.reader.findTold(kickoffId));
	}

	getByKey(key: number): Promise<Stored | undefined> {
		return this.read(() => this.work.reader.findByKey(key));
	}

	list(limit: number): Promise<Execution[]> {
		return this.read(() => this.work.executions.newest(limit));
	}

	find(query: Query): Promise<{ found: Summary[]; next?: number }> {
		return this.search.find(query);
	}

	async claim(worker: string, limit: number): Promise<Claimed[]> {
		const claimed = await this.inTurn(() => this.write(() => this.work.claim(worker, limit)));
		this.countTakeovers(claimed);
		return claimed;
	}

	renew(worker: string, takesMore = true): Promise<Map<number, number>> {
		return this.write(() => this.work.renew(worker, takesMore));
	}

	nextLapse(worker: string): Promise<number | undefined> {
		return this.read(() => this.work.executions.nextLapse(worker));
	}

	events(kickoffId: string, after: number, limit: number): Promise<StreamEvent[]> {
		return this.read(() => this.work.events.after(kickoffId, after, limit));
	}

	async claimCallbacks(limit: number, except: readonly string[]): Promise<ClaimedCallback[]> {
		const all: ClaimedCallback[] = [];
		for (let hasMore = true; hasMore && all.length < limit;) {
			const left = limit - all.length;
			const { claimed, isMore } = await this.write(() => this.work.claimCallbacks(left, except));
			all.push(...claimed);
			hasMore = isMore;
		}
		return all;
	}

	nextCallback(): Promise<number | undefined> {
		return this.read(() => this.work.callbacks.next());
	}

	settle(callback: ClaimedCallback, attempt: CallbackAttempt, fate: Fate): Promise<void> {
		return this.write(() => this.work.settle(callback, attempt, fate));
	}

	releaseCallbacks(callbacks: readonly ClaimedCallback[]): Promise<void> {
		return this.write(() => this.work.releaseCallbacks(callbacks));
	}

	callbacks(limit: number): Promise<CallbackRecord[]> {
		return this.read(() => this.work.callbacks.newest(limit));
	}

	callbacksOf(key: number): Promise<CallbackRecord[]> {
		return this.read(() => this.work.callbacks.of(key));
	}

	sendAgain(
		key: number,
		callbackId: string,
		authentication: CallbackAuthentication | undefined,
	): Promise<boolean> {
		return this.writeForClient(() => this.work.sendAgain(key, callbackId, authentication));
	}

	async forget(kickoffId: string): Promise<void> {
		await this.writeForClient(() => this.work.forget(kickoffId));
		// By the time of the answer, its events are gone, too. Others get their turn in between.
		while (await this.write(() => this.work.removeSome()));
	}

	count(state: ExecutionState): Promise<number> {
		return this.read(() => this.work.executions.count(state));
	}

	backlog(): Promise<Backlog> {
		return this.read(() => this.work.backlog());
	}

	onChange(listener: ChangeListener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	async close(): Promise<void> {
		if (this.isClosed) return;
		this.isClosed = true;
		clearInterval(this.timer);
		await this.database.close();
	}

	private async read<T>(work: () => Sql<T>): Promise<T> {
		this.refuseIfClosed();
		return await this.database.read(work);
	}

	/** Claims are not in one transaction: each has to see what the one before has taken. */
	private async inTurn<T>(claim: () => Promise<T>): Promise<T> {
		const claiming = this.claiming.then(claim);
		this.claiming = claiming.catch(() => undefined);
		return await claiming;
	}

	private countTakeovers(claimed: readonly Claimed[]): void {
		this.tally.takeovers += claimed.filter(({ wasInterrupted }) => wasInterrupted).length;
	}

	private async write<T>(work: () => Sql<Written<T>>, isAwaited = false): Promise<T> {
		this.refuseIfClosed();
		return await this.database.write(work, isAwaited);
	}

	private async writeForClient<T>(work: () => Sql<Written<T>>): Promise<T> {
		return await this.write(work, true);
	}

	private refuseIfClosed(): void {
		if (this.isClosed) throw new StoreUnavailable('it is closed');
	}

	private written({ changes = [], stored = [] }: Written<unknown>): void {
		for (const one of stored) this.cache.set(one);
		for (const change of changes) this.tell(change);
		if (changes.some(hasEnded)) this.tidy();
	}

	private tell(change: StoreChange | undefined): void {
		for (const listener of this.listeners) listener(change);
	}

	/** Removes piece by piece what need not be kept. Among many executions, finding that takes a while. */
	private tidy(): void {
		this.hasToTidy = this.isTidying;
		if (this.isTidying) return;
		this.isTidying = true;
		const goOn = (isMore: boolean): void => {
			if (isMore && !this.isClosed) this.write(() => this.work.removeSome()).then(goOn, rest);
			else rest();
		};
		const rest = () => {
			setTimeout(() => {
				this.isTidying = false;
				if (this.hasToTidy) this.tidy();
			}, BETWEEN_LOOKS).unref();
		};
		goOn(true);
	}
}

function isEnd(state: ExecutionState): state is keyof Tally['ended'] {
	return hasEnded({ state });
}
