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
	private readonly waiting = new Map<object, Set<Waiter>>();
	private isResting = false;

	constructor(readonly limiter: ConcurrencyLimiter) {}

	get isIdle(): boolean {
		return this.limiter.underWay === 0 && this.waiting.size === 0;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @param patience milliseconds (default: for as long as it takes)
	 * @param late creates the error for when that time is over
	 * @throws the reason of {@link cancel}
	 */
	async acquire(sender: object, patience?: number, late?: () => Error): Promise<Slot> {
		return await new Promise((enter, leave) => {
			const waiter = { enter, leave };
			const waiters = this.waiting.get(sender) ?? new Set();
			this.waiting.set(sender, waiters.add(waiter));
			this.open();
			if (!waiters.has(waiter) || patience === undefined || late === undefined) return;
			AbortSignal.timeout(Math.ceil(patience)).addEventListener('abort', () => {
				if (waiters.delete(waiter) && waiters.size === 0) this.waiting.delete(sender);
				leave(late());
			});
		});
	}

	/** Rejects all waiting requests of a sender. */
	cancel(sender: object, reason: Error): void {
		for (const { leave } of this.waiting.get(sender) ?? []) leave(reason);
		this.waiting.delete(sender);
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
			const [first] = waiters;
			// Its next turn comes after all others.
			this.waiting.delete(sender);
			if (first && waiters.delete(first) && waiters.size > 0) this.waiting.set(sender, waiters);
			first?.enter(slot);
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
