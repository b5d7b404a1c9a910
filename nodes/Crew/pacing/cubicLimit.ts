/** How many requests at once for an unknown crew, and at most. */
const INITIAL = 10;
const MOST = 100;
/** How much the limit grows after a round trip without failures. */
const GROWTH = 1.5;
/** The C of RFC 9438 for requests that can be repeated like packets, and a smaller one for requests that may start a crew. */
const C = { read: 0.4, start: 0.02 };
/** What share of the limit is left after a fall, and for how many seconds it stays at the old limit once it is back. */
const FALL = { failed: { beta: 0.5, calm: 12 }, refused: { beta: 0.9, calm: 2 } };
/** After this much growth, the rate of answers must have risen by this share of it. */
const NOTABLE = 1.25;
const GAIN = 1 / 5;
/** If fewer than one in this many requests fail, below a limit that worked before, that is chance. */
const CHANCE = 20;

/** A request that was sent. */
export interface Slot {
	/** How many were running, including this one. */
	readonly place: number;
	/** In milliseconds of the monotonic clock. */
	readonly sentAt: number;
	/** How often the limit had fallen by then. */
	readonly falls: number;
	/** Whether this many at once had not been tried with success. */
	readonly isTrial: boolean;
}

/** A round: as many answers as the limit, and how fast they came. */
const ROUND = { since: 0, answers: 0, most: 0, timed: 0, logarithms: 0 };
/** The last limit that was worth it, its answers per millisecond, and the rounds without a gain since. */
const WORTH = { limit: 0, rate: 0, misses: 0 };

/**
 * How many requests a crew gets at once: the congestion window of TCP CUBIC (RFC 9438), in requests.
 * Slow start ends when the limit falls. From then on it returns along a cubic curve to where it fell from,
 * stays about there, and only then goes beyond, at first one by one. It falls after a refusal and after a
 * failure. Growth ends too when the rate of answers does not rise by it, as in BBR's startup:
 * round trips tell less, since n8n's own thread makes them longer, too.
 */
export class CubicLimit {
	/** How many at once, at the moment. */
	limit = INITIAL;
	/** W_max of the RFC; infinite in slow start. */
	private fellFrom = Infinity;
	/** What the limit fell to (ssthresh). Below it, each answer raises the limit by one. */
	private threshold = 0;
	/** Both values before the falls since the last answer. If these had no good reason, they are undone, as in TCP (RFC 4015). */
	private before = { fellFrom: Infinity, threshold: INITIAL };
	private falls = 0;
	/** Seconds for which the limit then stays there. */
	private calm = 0;
	/** Seconds since the fall during which the crew was busy: t of the RFC. */
	private busyFor = 0;
	private answeredAt = 0;
	/** The most that were answered at once since the fall, and how many beyond that are running. */
	private proven = INITIAL;
	private trials = 0;
	private round = { ...ROUND };
	private worth = { ...WORTH };
	private answersSinceFailure = Infinity;

	constructor(private readonly isForReads = false) {}

	/** Whether one more may be sent besides the running ones. */
	hasRoom(underWay: number): boolean {
		if (underWay >= this.limit) return false;
		return underWay < this.proven || this.trials < this.limit - this.proven;
	}

	/** Notes that one more is sent besides the running ones. */
	send(underWay: number, now: number): Slot {
		const place = underWay + 1;
		const isTrial = place > this.proven;
		if (isTrial) this.trials++;
		return { place, sentAt: now, falls: this.falls, isTrial };
	}

	/** Notes the outcome of a request. A request from before a fall says nothing about the limit after it. */
	settle(slot: Slot, outcome: 'success' | 'refused' | 'failed' | 'ignored', now: number): void {
		if (slot.isTrial) this.trials--;
		if (slot.falls < this.falls) return;
		if (outcome === 'success') this.takeAnswer(slot, now);
		if (outcome === 'success' || outcome === 'ignored') return;
		const isWell = this.answersSinceFailure >= CHANCE;
		// If not even one request gets through, the crew is away. Slow start leads back to the old limit.
		if (this.limit === 1) Object.assign(this, this.before);
		// If even the first requests are refused, the limit is not the reason.
		const isTelling = outcome === 'failed' ? slot.isTrial || !isWell : slot.place > 1;
		const { beta, calm } = FALL[outcome];
		if (this.limit > 1 && isTelling)
			this.fall(slot.place - 1, beta, isWell && !this.isForReads ? calm : 0);
		this.answersSinceFailure = 0;
	}

	private takeAnswer({ place, sentAt }: Slot, now: number): void {
		const { round, limit } = this;
		this.answersSinceFailure++;
		if (limit < this.threshold) this.limit++;
		this.proven = Math.max(this.proven, place);
		if (place > limit / 2) this.busyFor += Math.min(now - sentAt, now - this.answeredAt) / 1_000;
		this.answeredAt = now;
		// Slow start does not wait until all running requests were sent after its last growth.
		if (sentAt < round.since && this.fellFrom < Infinity) return;
		round.answers++;
		round.most = Math.max(round.most, place);
		if (place > limit * 0.75) {
			round.timed++;
			// Little's law, at the moment of sending: while the limit grows, fewer were running.
			round.logarithms += Math.log(place / Math.max(1, now - sentAt));
		}
		if (round.answers >= limit) this.endRound(now);
	}

	private endRound(now: number): void {
		const { round, limit } = this;
		this.round = { ...ROUND, since: now };
		if (round.most < limit) return;
		// The geometric mean, so that an outlier counts little.
		const rate = Math.exp(round.logarithms / round.timed);
		if (!this.isInVain(rate)) this.grow();
		else if (this.worth.misses++ > 0) {
			// The best rate so far may have been luck, so slow start tries once more.
			this.fall(this.worth.limit, 1);
			if (this.falls === 1) this.fellFrom = Infinity;
		}
	}

	private isInVain(rate: number): boolean {
		const { limit, worth } = this;
		if (limit < worth.limit * NOTABLE) {
			worth.rate = (worth.rate + rate) / 2;
			return false;
		}
		if ((rate - worth.rate) * worth.limit < (limit - worth.limit) * worth.rate * GAIN) return true;
		this.worth = { limit, rate, misses: 0 };
		return false;
	}

	private grow(): void {
		const { limit, fellFrom, threshold, worth, busyFor } = this;
		const most = Math.min(MOST, Math.max(worth.limit + 1, worth.limit * GROWTH));
		const c = this.isForReads ? C.read : C.start;
		// K of the RFC: the seconds from the fall until the curve is back at the old limit.
		const returnTime = fellFrom < Infinity ? Math.cbrt((fellFrom - threshold) / c) : 0;
		const since = busyFor - returnTime;
		const curve = fellFrom + c * (since < 0 ? since : Math.max(0, since - this.calm)) ** 3;
		this.limit = Math.max(limit, Math.floor(Math.min(most, curve)));
	}

	private fall(borne: number, beta: number, calm = 0): void {
		if (this.answersSinceFailure > 0)
			this.before = { fellFrom: this.fellFrom, threshold: this.limit };
		this.fellFrom = Math.max(this.limit / 2, Math.min(this.limit, borne));
		this.threshold = Math.max(1, Math.round(this.fellFrom * beta));
		this.limit = this.threshold;
		this.falls++;
		this.calm = calm;
		this.busyFor = 0;
		this.proven = this.limit;
		this.round = { ...ROUND };
		this.worth = { ...WORTH };
	}
}
