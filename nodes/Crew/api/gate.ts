import type { CrewRequest } from './exchange';
import { begin, hasRoom, isPatient, send, settle, type Sent, type Strain } from './parallelism';
import { pause } from './pause';

const MOST_GATES = 1_000;

/** A request that waits for its turn. */
interface Waiter {
	enter: (sent: Sent) => void;
	leave: (reason: Error) => void;
}

/**
 * Lets only so many requests through at once. Those of one lane go in order, and lanes take turns: one
 * with ten thousand requests does not keep one with a single request waiting.
 */
export class Gate {
	private parallelism;
	private underWay = 0;
	/** What waits, with the lane whose turn is next in front. */
	private readonly waiting = new Map<object, Waiter[]>();
	private wakesAt = 0;

	/** @param given how many to let through at once; 0 finds that out */
	constructor(given: number) {
		this.parallelism = begin(given);
	}

	/** How many are let through at once, for now. */
	get atOnce(): number {
		return this.parallelism.atOnce;
	}

	get isIdle(): boolean {
		return this.underWay === 0 && this.waiting.size === 0;
	}

	/** Lets a request through, if nothing else waits and there is room. */
	tryToEnter(): Sent | undefined {
		const now = Date.now();
		if (this.waiting.size > 0 || !hasRoom(this.parallelism, this.underWay, now)) return undefined;
		return this.letThrough(now);
	}

	/**
	 * Waits until a request may pass.
	 *
	 * @param signal ends the waiting
	 * @throws the reason for which it was sent away, see {@link sendAway}
	 */
	async enter(lane: object, signal?: AbortSignal): Promise<Sent> {
		return await new Promise((enter, leave) => {
			const waiter = { enter, leave };
			const queue = this.waiting.get(lane) ?? [];
			queue.push(waiter);
			this.waiting.set(lane, queue);
			signal?.addEventListener('abort', () => {
				this.remove(lane, waiter);
			});
			this.open();
		});
	}

	/** Ends the waiting of all requests of a lane. */
	sendAway(lane: object, reason: Error): void {
		const queue = this.waiting.get(lane) ?? [];
		this.waiting.delete(lane);
		for (const { leave } of queue) leave(reason);
	}

	/** Whether a request that is being refused, for the first time at `refusedAt`, may be sent again. */
	isPatient(refusedAt: number): boolean {
		return isPatient(this.parallelism, this.underWay - 1, refusedAt, Date.now());
	}

	/** Takes note of what came of a request, and lets others through. */
	exit(sent: Sent, strain: Strain): void {
		this.underWay--;
		this.parallelism = settle(this.parallelism, sent, strain, Date.now(), Math.random());
		this.open();
	}

	private open(): void {
		const now = Date.now();
		while (hasRoom(this.parallelism, this.underWay, now)) {
			const [next] = this.waiting;
			if (!next) return;
			const [lane, queue] = next;
			const waiter = queue.shift();
			this.waiting.delete(lane);
			if (queue.length > 0) this.waiting.set(lane, queue);
			waiter?.enter(this.letThrough(now));
		}
		this.openLater(now);
	}

	private openLater(now: number): void {
		const { restsUntil } = this.parallelism;
		if (this.waiting.size === 0 || restsUntil <= Math.max(now, this.wakesAt)) return;
		this.wakesAt = restsUntil;
		void pause(restsUntil - now).then(() => {
			// A timer may be early by part of a millisecond.
			this.wakesAt = 0;
			this.open();
		});
	}

	private letThrough(now: number): Sent {
		const { sent, after } = send(this.parallelism, this.underWay, now);
		this.parallelism = after;
		this.underWay++;
		return sent;
	}

	private remove(lane: object, waiter: Waiter): void {
		const queue = this.waiting.get(lane) ?? [];
		const others = queue.filter((one) => one !== waiter);
		if (others.length > 0) this.waiting.set(lane, others);
		else this.waiting.delete(lane);
	}
}

/** How many statuses a crew is asked for at once, for now; `given` if that is a number above 0. */
export function statusesAtOnce(baseUrl: string, given: number): number {
	return given || gateOf(baseUrl, 'GET').atOnce;
}

/** By base URL, method and the number that was given. */
const gates = new Map<string, Gate>();

/** The gate that all executions of this process share. */
export function gateOf(baseUrl: string, method: CrewRequest['method'], given = 0): Gate {
	const key = `${method} ${given} ${baseUrl}`;
	const known = gates.get(key);
	if (known) return known;
	if (gates.size >= MOST_GATES) {
		for (const [other, { isIdle }] of gates) if (isIdle) gates.delete(other);
	}
	const gate = new Gate(given);
	gates.set(key, gate);
	return gate;
}
