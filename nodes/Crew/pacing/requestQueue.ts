import { sleep } from 'n8n-workflow';
import { ConcurrencyLimiter, type Outcome } from './concurrencyLimiter';
import type { Slot } from './cubicLimit';

const MOST_QUEUES = 1_000;

/** A request that waits for its turn. */
interface Waiter {
	enter: (slot: Slot) => void;
	leave: (reason: Error) => void;
}

/**
 * The requests that wait until a crew can get one more. Those of one sender stay in order, and senders
 * take turns, so that one with a single request does not wait for one with ten thousand.
 */
export class RequestQueue {
	/** The waiting requests by sender; the sender whose turn is next comes first. */
	private readonly waiting = new Map<object, Waiter[]>();
	private isResting = false;

	constructor(readonly limiter: ConcurrencyLimiter) {}

	get isIdle(): boolean {
		return this.limiter.isIdle && this.waiting.size === 0;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @param patience milliseconds (default: for as long as it takes)
	 * @param late creates the error for when that time is over
	 * @throws the reason of {@link cancel}
	 */
	async acquire(sender: object, patience?: number, late?: () => Error): Promise<Slot> {
		const slot = this.waiting.size === 0 ? this.limiter.tryAcquire(performance.now()) : undefined;
		if (slot) return slot;
		return await new Promise((enter, leave) => {
			const waiter = { enter, leave };
			this.waiting.set(sender, [...(this.waiting.get(sender) ?? []), waiter]);
			this.open();
			if (patience === undefined || late === undefined) return;
			AbortSignal.timeout(Math.ceil(patience)).addEventListener('abort', () => {
				const others = this.waiting.get(sender)?.filter((one) => one !== waiter);
				this.keep(sender, others);
				leave(late());
			});
		});
	}

	/** Rejects all waiting requests of a sender. */
	cancel(sender: object, reason: Error): void {
		const waiters = this.waiting.get(sender) ?? [];
		this.waiting.delete(sender);
		for (const { leave } of waiters) leave(reason);
	}

	/** Notes the outcome of a request, and lets others through. */
	release(slot: Slot, outcome: Outcome): void {
		this.limiter.release(slot, outcome, performance.now(), Math.random());
		this.open();
	}

	private open(): void {
		for (const [sender, waiters] of this.waiting) {
			const slot = this.limiter.tryAcquire(performance.now());
			if (!slot) break;
			waiters.shift()?.enter(slot);
			// Its next turn comes after all others.
			this.waiting.delete(sender);
			this.keep(sender, waiters);
		}
		const rest = this.limiter.restsUntil - performance.now();
		if (this.waiting.size === 0 || rest <= 0 || this.isResting) return;
		this.isResting = true;
		// A timer may be early by a fraction of a millisecond: then it pauses again.
		void sleep(Math.ceil(rest)).then(() => {
			this.isResting = false;
			this.open();
		});
	}

	private keep(sender: object, waiters: Waiter[] = []): void {
		if (waiters.length > 0) this.waiting.set(sender, waiters);
		else this.waiting.delete(sender);
	}
}

/** By crew, kind of request and number. */
const queues = new Map<string, RequestQueue>();

/**
 * The queue that all executions of this process share for a crew. A fixed number applies to all
 * requests together; otherwise, each kind has its own number.
 */
export function sharedQueue(baseUrl: string, kind: 'GET' | 'POST', given = 0): RequestQueue {
	const key = `${given || kind} ${baseUrl}`;
	const queue = queues.get(key) ?? new RequestQueue(new ConcurrencyLimiter(given, kind === 'GET'));
	if (queues.size >= MOST_QUEUES) {
		for (const [other, { isIdle }] of queues) if (isIdle) queues.delete(other);
	}
	queues.set(key, queue);
	return queue;
}
