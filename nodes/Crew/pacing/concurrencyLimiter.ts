import { CubicLimit, type Slot } from './cubicLimit';

/** The outcome of a request, as a sign of how many the crew can take. */
export type Outcome =
	/** `failed`: it may have arrived, and has no answer. `ignored`: it says nothing about the crew. */
	| { kind: 'success' | 'failed' | 'ignored' }
	/** Nothing has happened. `retryAfter`: milliseconds that the crew asked to wait. */
	| { kind: 'refused'; isSentAgain: boolean; retryAfter?: number };

/** How long refused requests are repeated, and how long a limit is remembered. */
const PATIENCE = 600_000;
const MEMORY = 600_000;
/** After this time without requests, a crew that was up may be down. */
const RUN_GAP = 1_000;
/** The first and the longest pause that a crew gets without asking for one. */
const FIRST_REST = 500;
const LONGEST_REST = 8_000;

/** Decides when a request may be sent to a crew. All times in milliseconds of the monotonic clock. */
export class ConcurrencyLimiter {
	private found;
	/** How many requests are running. */
	underWay = 0;
	private usedAt = -Infinity;
	/** When the crew last accepted a request in this run. */
	private tookAt = -Infinity;
	/** Pauses in a row. After a pause, a single request is sent first. */
	private rests = 0;
	/** Until when nothing is sent. */
	restsUntil = 0;

	/**
	 * @param given a fixed number of requests at once; 0 finds out how many
	 * @param isForReads whether nothing is lost if a request fails
	 */
	constructor(
		private readonly given: number,
		private readonly isForReads = false,
	) {
		this.found = new CubicLimit(isForReads);
	}

	/** How many requests at once, at the moment. */
	get limit(): number {
		return this.given || this.found.limit;
	}

	/** Lets a request through if there is room. */
	tryAcquire(now: number): Slot | undefined {
		const idle = this.underWay === 0 ? now - Math.max(this.usedAt, this.restsUntil) : 0;
		if (idle >= RUN_GAP) this.tookAt = -Infinity;
		if (idle >= MEMORY) this.found = new CubicLimit(this.isForReads);
		if (now < this.restsUntil || !this.hasRoom()) return undefined;
		this.usedAt = now;
		return this.found.send(this.underWay++, now);
	}

	/** Notes the outcome of a request; `random` is from 0 to 1. */
	release(slot: Slot, outcome: Outcome, now: number, random: number): void {
		this.underWay--;
		this.usedAt = now;
		const isTaken = outcome.kind === 'success';
		if (isTaken) this.tookAt = now;
		if (isTaken && now >= this.restsUntil) this.rests = 0;
		// If the limit was too high for the crew, lowering it is enough.
		const isCured = slot.isTrial && !this.given;
		if (outcome.kind === 'refused' && outcome.isSentAgain && !isCured) {
			this.rest(outcome.retryAfter, now, random);
		}
		this.found.settle(slot, outcome.kind, now);
	}

	/** Whether a request that is being refused, for the first time at `refusedAt`, may be sent again. */
	isPatient(refusedAt: number, now: number): boolean {
		const isTakingOthers = this.underWay > 1 || now - this.tookAt < PATIENCE;
		return isTakingOthers && now - refusedAt < PATIENCE;
	}

	private hasRoom(): boolean {
		if (this.rests > 0) return this.underWay === 0;
		return this.given ? this.underWay < this.given : this.found.hasRoom(this.underWay);
	}

	private rest(retryAfter: number | undefined, now: number, random: number): void {
		const isResting = now < this.restsUntil;
		const own = Math.min(LONGEST_REST, FIRST_REST * 2 ** this.rests) * (0.5 + random / 2);
		this.restsUntil = Math.max(this.restsUntil, now + (retryAfter ?? (isResting ? 0 : own)));
		if (!isResting) this.rests++;
	}
}
