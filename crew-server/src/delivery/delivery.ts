import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Log } from '../log';
import { LEASE_TIME, type ClaimedCallback, type Fate, type Store } from '../store/store';
import { Places, PLACES } from './places';
import { Post, type Outcome, type Sender } from './post';

export interface DeliverySettings {
	/** Milliseconds for one try. */
	timeout: number;
	/** Tries for one callback, the first included. */
	tries: number;
	/** The same for what someone may be waiting for: the crew's end, and questions to a person. The default is `tries`. */
	triesOfAwaited?: number;
	/** Milliseconds before the second try; each further one waits four times as long. */
	retryDelay: number;
}

export const DEFAULT_DELIVERY: DeliverySettings = { timeout: 10_000, tries: 3, retryDelay: 500 };

export interface DeliveryParts {
	store: Store;
	settings: DeliverySettings;
	log: Log;
	/** Wraps the sender, or replaces it. */
	sender?: (post: Sender) => Sender;
}

/** How many callbacks are held at a time: those being sent, and those that wait for a place at their receiver. */
const ROOM = 1_024;

/** How many are read at once. */
const BATCH = 64;

/** The most milliseconds that a callback waits for a place: an attempt must fit into the rest of its lease. */
const LONGEST_WAIT = LEASE_TIME / 2;

/** Milliseconds before a store that cannot be used is tried again. */
const STORE_PAUSE = 1_000;

/** The least milliseconds between two checks for due callbacks, whatever the store says. */
const SHORTEST_PAUSE = 20;

interface Waiting {
	callback: ClaimedCallback;
	since: number;
}

/** Sends due callbacks, and reports the outcome of each to the store. */
export class Delivery {
	private readonly post: Post;
	private readonly send: Sender;
	private readonly places = new Places();
	private readonly underWay = new Set<Promise<void>>();
	private waiting: Waiting[] = [];
	private readonly closing = new AbortController();
	private reading: Promise<void> | undefined;
	private readAgain = false;
	private isStoreAway = false;
	/** The receivers that were full when nothing else was left to send; otherwise, there may be more to send. */
	private fullWhenRead: string | undefined;
	private timer: NodeJS.Timeout | undefined;
	private timerEnds = Infinity;
	private endListening: () => void = () => undefined;

	constructor(private readonly parts: DeliveryParts) {
		this.post = new Post(PLACES, parts.settings.timeout);
		this.send = parts.sender?.(this.post.send) ?? this.post.send;
		// Any number of attempts may listen to this signal at once.
		setMaxListeners(0, this.closing.signal);
	}

	/** Starts sending, including what an earlier process has left. */
	start(): void {
		this.endListening = this.parts.store.onChange((change) => {
			if (change?.hasCallbacks ?? true) this.read();
		});
		this.read();
	}

	/** Cuts off running attempts; what was due stays due. */
	async close(): Promise<void> {
		this.endListening();
		this.closing.abort();
		await this.reading;
		clearTimeout(this.timer);
		await Promise.all(this.underWay);
		await this.release(this.waiting.splice(0).map(({ callback }) => callback));
		await this.post.close();
	}

	private get isClosing(): boolean {
		return this.closing.signal.aborted;
	}

	private read(): void {
		if (this.isClosing) return;
		this.readAgain = true;
		this.reading ??= this.readAll()
			.then(() => {
				this.isStoreAway = false;
			})
			.catch((error: unknown) => {
				if (!this.isStoreAway) this.parts.log.error({ err: error }, 'callbacks_not_read');
				this.isStoreAway = true;
				this.readAgain = false;
				this.readIn(STORE_PAUSE);
			})
			.finally(() => {
				this.reading = undefined;
				if (this.readAgain) this.read();
			});
	}

	/** Reads due callbacks as long as there is room to send them. */
	private async readAll(): Promise<void> {
		const { store } = this.parts;
		while (this.readAgain && !this.isClosing) {
			this.readAgain = false;
			this.fullWhenRead = undefined;
			const limit = Math.min(BATCH, ROOM - this.underWay.size - this.waiting.length);
			if (limit <= 0) return;
			// Before the claim, so that nothing that falls due in between is missed.
			this.readIn((await store.nextCallback()) ?? LEASE_TIME);
			const full = this.places.full();
			const claimed = await store.claimCallbacks(limit, full);
			const since = performance.now();
			this.waiting.push(...claimed.map((callback) => ({ callback, since })));
			if (claimed.length < limit) this.fullWhenRead = full.join();
			else this.readAgain = true;
			this.sendWaiting();
		}
	}

	/** Reads again if a receiver has room that had none when nothing else was left to send. */
	private readOn(): void {
		if (this.places.full().join() !== this.fullWhenRead) this.read();
	}

	/** Reads after this time at the latest: another process may have claimed callbacks and not sent them. */
	private readIn(milliseconds: number): void {
		const pause = Math.max(SHORTEST_PAUSE, Math.min(milliseconds, LEASE_TIME));
		const ends = performance.now() + pause;
		if (this.isClosing || ends >= this.timerEnds) return;
		clearTimeout(this.timer);
		this.timerEnds = ends;
		this.timer = setTimeout(() => {
			this.timerEnds = Infinity;
			this.read();
		}, pause);
	}

	private sendWaiting(): void {
		if (this.isClosing) return;
		const stale: ClaimedCallback[] = [];
		this.waiting = this.waiting.filter(({ callback, since }) => {
			if (performance.now() - since > LONGEST_WAIT) stale.push(callback);
			else if (this.places.take(callback.url)) this.track(this.deliver(callback));
			else return true;
			return false;
		});
		if (stale.length > 0) this.track(this.release(stale));
	}

	/** Keeps track of work, so that the end can wait for it. */
	private track(work: Promise<void>): void {
		const tracked = work.finally(() => {
			this.underWay.delete(tracked);
			this.readOn();
		});
		this.underWay.add(tracked);
	}

	private async deliver(callback: ClaimedCallback): Promise<void> {
		const outcome = await this.attempt(callback);
		this.places.leave(callback.url);
		this.sendWaiting();
		// An attempt that the shutdown has cut off does not count: the callback is still due.
		const isCutOff = this.isClosing && outcome.attempt.problem !== undefined;
		await (isCutOff ? this.release([callback]) : this.settle(callback, outcome));
	}

	private async attempt(callback: ClaimedCallback): Promise<Outcome> {
		const { damage: problem } = callback;
		if (problem === undefined) return await this.send(callback, this.closing.signal);
		return { attempt: { at: Date.now(), problem }, isWorthRepeating: false };
	}

	/** Reports the outcome. If the store never takes it, the callback is sent once more when its lease has ended. */
	private async settle(callback: ClaimedCallback, outcome: Outcome): Promise<void> {
		const { store, log } = this.parts;
		const fate = this.fateAfter(callback, outcome);
		const end = performance.now() + LEASE_TIME;
		do {
			try {
				await store.settle(callback, outcome.attempt, fate);
				logFate(log, callback, outcome, fate);
				if (fate.fate === 'due') this.readIn(fate.after);
				return;
			} catch {
				await this.pause(STORE_PAUSE);
			}
		} while (!this.isClosing && performance.now() < end);
	}

	private fateAfter(
		{ kind, tries: before }: ClaimedCallback,
		{ attempt, isWorthRepeating }: Outcome,
	): Fate {
		if (attempt.problem === undefined) return { fate: 'delivered' };
		const { tries, triesOfAwaited = tries, retryDelay } = this.parts.settings;
		const most = kind === 'crew' || kind === 'human_input' ? triesOfAwaited : tries;
		if (!isWorthRepeating || before + 1 >= most) return { fate: 'given_up' };
		return { fate: 'due', after: retryDelay * 4 ** before };
	}

	/** Gives callbacks back. Those that the store does not take back are due again when their lease has ended. */
	private async release(callbacks: readonly ClaimedCallback[]): Promise<void> {
		if (callbacks.length === 0) return;
		await this.parts.store.releaseCallbacks(callbacks).catch(() => undefined);
		this.read();
	}

	/** Waits, but not beyond the shutdown. */
	private async pause(milliseconds: number): Promise<void> {
		const { signal } = this.closing;
		await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
	}
}

/** Logs the outcome, with only the origin of the address: the rest may contain a token. */
function logFate(
	log: Log,
	{ kickoffId, kind, url, tries }: ClaimedCallback,
	{ attempt: { problem } }: Outcome,
	{ fate }: Fate,
): void {
	if (fate === 'due') return;
	const to = URL.canParse(url) ? new URL(url).origin : undefined;
	const facts = { kickoff_id: kickoffId, kind, to, problem, attempts: tries + 1 };
	log[fate === 'delivered' ? 'debug' : 'warn'](facts, `callback_${fate}`);
}
