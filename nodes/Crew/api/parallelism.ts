/** How many requests a crew gets at once as long as nothing is known of it. */
const FIRST_AT_ONCE = 10;
/** And how many at most. */
const MOST_AT_ONCE = 64;

/** Milliseconds for which what was learned of a crew is remembered. */
const MEMORY = 600_000;
/** Milliseconds for which refused requests are sent again. */
const PATIENCE = 600_000;
/** A run of requests is over when none has been sent for so many milliseconds. */
const RUN_GAP = 1_000;

/** Half as many more at once have to raise the rate by a tenth at least: less is chance. */
const GAIN = 1.1;
/** So many rounds in a row in which the rate did not rise, since one can be chance. */
const MISSES = 2;
/** Then the number before is looked at again, and more are tried once again. */
const SETBACKS = 2;
/** A number that was borne for so many rounds after something broke is not what broke next. */
const PROVEN_ROUNDS = 3;

const FIRST_REST = 500;
const LONGEST_REST = 30_000;

/** As many answers as there may be requests at once, and what they tell. */
interface Round {
	/** Answers that come before those that count. */
	toSkip: number;
	answers: number;
	/** Answers to requests that were sent beside at least half as many others as may be. */
	crowded: number;
	/** Milliseconds that those took, together. */
	crowdedTime: number;
	/** How many requests there were at once. */
	reached: number;
}

const NEW_ROUND: Round = { toSkip: 0, answers: 0, crowded: 0, crowdedTime: 0, reached: 0 };

/** How many requests of one kind a crew is sent at once, and what was learned on the way there. */
export interface Parallelism {
	/** How many at once. */
	readonly atOnce: number;
	/** Whether a person chose that number: then it stays. */
	readonly isGiven: boolean;
	/** The most that are tried, as far as is known. */
	readonly most: number;
	/** Whether more are tried in this run. */
	readonly isGrowing: boolean;
	readonly round: Round;
	/** The number with the highest rate in this run, in answers a millisecond. */
	readonly best: { atOnce: number; rate: number };
	/** In how many rounds in a row it was not surpassed, though there were more at once. */
	readonly misses: number;
	/** How often that was so for too many rounds. */
	readonly setbacks: number;
	/** The most at once of which the last was answered well. */
	readonly borne: number;
	/** How many requests are under way beyond that. */
	readonly trials: number;
	/** How often the number fell: what was sent before says nothing of the number after it. */
	readonly falls: number;
	/** In milliseconds since the epoch. */
	readonly fellAt: number;
	/** Whether something broke in this run. */
	readonly hasBroken: boolean;
	/** Rounds since the number fell in which all was answered well. */
	readonly wellRounds: number;
	/** Whether anything was answered well since the number fell. */
	readonly isWellSinceFall: boolean;
	/** Whether anything was answered well in this run. */
	readonly isWell: boolean;
	/** When requests began to be refused, one and all. */
	readonly refusedSince?: number;
	/** Until when nothing is sent, in milliseconds since the epoch. */
	readonly restsUntil: number;
	/** How many rests there were in a row. Behind one a single request is sent first. */
	readonly rests: number;
	/** When something was last sent or answered, in milliseconds since the epoch. */
	readonly usedAt: number;
}

/** A request that was sent. */
export interface Sent {
	/** How many there were at once, with this one. */
	readonly place: number;
	/** In milliseconds since the epoch. */
	readonly at: number;
	/** {@link Parallelism.falls} then. */
	readonly falls: number;
	/** Whether so many at once had not been answered well before. */
	readonly isTrial: boolean;
}

/** What a request tells of how much the crew bears. */
export type Strain =
	| { kind: 'well' }
	/** The crew did not take it, so nothing has happened. */
	| { kind: 'refused'; retryAfter?: number; isSentAgain: boolean }
	/** It may have arrived: a status of 500 or more, a time limit, a connection that was closed. */
	| { kind: 'broken' }
	/** It says nothing of the crew. */
	| { kind: 'unheard' };

/** Where nothing is known of a crew. `given` is the number that a person chose, 0 for none. */
export function begin(given = 0): Parallelism {
	return {
		atOnce: given || FIRST_AT_ONCE,
		isGiven: given > 0,
		most: given || MOST_AT_ONCE,
		isGrowing: true,
		round: NEW_ROUND,
		best: { atOnce: given || FIRST_AT_ONCE, rate: 0 },
		misses: 0,
		setbacks: 0,
		borne: 0,
		trials: 0,
		falls: 0,
		fellAt: 0,
		hasBroken: false,
		wellRounds: 0,
		isWellSinceFall: false,
		isWell: false,
		restsUntil: 0,
		rests: 0,
		usedAt: 0,
	};
}

/** Whether one more may be sent beside those that are under way. */
export function hasRoom(
	{ atOnce, restsUntil, rests, borne, trials, isGiven }: Parallelism,
	underWay: number,
	now: number,
): boolean {
	if (now < restsUntil || underWay >= (rests > 0 ? 1 : atOnce)) return false;
	const known = Math.max(borne, FIRST_AT_ONCE);
	return isGiven || underWay < known || trials < atOnce - known;
}

/** Notes that a request is sent beside those that are under way. */
export function send(
	before: Parallelism,
	underWay: number,
	now: number,
): { sent: Sent; after: Parallelism } {
	const idle = now - Math.max(before.usedAt, before.restsUntil);
	const known = underWay === 0 && idle >= RUN_GAP ? beginRun(before, now) : before;
	const place = underWay + 1;
	const isTrial = place > Math.max(known.borne, FIRST_AT_ONCE);
	const after = { ...known, trials: known.trials + (isTrial ? 1 : 0), usedAt: now };
	return { sent: { place, at: now, falls: after.falls, isTrial }, after };
}

/** What was found out by trying is tried again in the next run; what hurt the crew is remembered. */
function beginRun(before: Parallelism, now: number): Parallelism {
	const { atOnce, isGiven, most, borne, falls, fellAt, usedAt } = before;
	if (now - usedAt >= MEMORY) return { ...begin(isGiven ? atOnce : 0), falls };
	const isForgotten = now - fellAt >= MEMORY;
	return {
		...begin(isGiven ? atOnce : 0),
		...{ atOnce, borne, falls, fellAt },
		most: isForgotten && !isGiven ? MOST_AT_ONCE : most,
		best: { atOnce, rate: 0 },
	};
}

/** Notes what came of a request; `random` is from 0 to 1. */
export function settle(
	before: Parallelism,
	sent: Sent,
	strain: Strain,
	now: number,
	random: number,
): Parallelism {
	const trials = before.trials - (sent.isTrial ? 1 : 0);
	const used = { ...before, trials, usedAt: now };
	switch (strain.kind) {
		case 'well':
			return afterAnswer(used, sent, now);
		case 'refused':
			return afterRefusal(used, sent, strain, now, random);
		case 'broken':
			return afterBreak(used, sent, now);
		case 'unheard':
			return used;
	}
}

/**
 * Whether a refused request may be sent again: the crew has taken others in this run, or may be about
 * to, and has not refused all of them, or this one, for too long.
 *
 * @param othersUnderWay how many requests are under way beside the refused one
 * @param refusedAt when this one was refused first, in milliseconds since the epoch
 */
export function isPatient(
	{ isWell, refusedSince = Infinity }: Parallelism,
	othersUnderWay: number,
	refusedAt: number,
	now: number,
): boolean {
	const isTakingSome = isWell || othersUnderWay > 0;
	return isTakingSome && now < Math.min(refusedAt, refusedSince) + PATIENCE;
}

function afterAnswer(before: Parallelism, sent: Sent, now: number): Parallelism {
	const { atOnce, round } = before;
	const isCrowded = sent.place >= atOnce / 2;
	const after = {
		...before,
		isWell: true,
		isWellSinceFall: before.isWellSinceFall || sent.falls === before.falls,
		borne: Math.max(before.borne, sent.place),
		refusedSince: undefined,
		rests: now >= before.restsUntil ? 0 : before.rests,
		round: {
			toSkip: 0,
			answers: round.answers + 1,
			crowded: round.crowded + (isCrowded ? 1 : 0),
			crowdedTime: round.crowdedTime + (isCrowded ? now - sent.at : 0),
			reached: Math.max(round.reached, sent.place),
		},
	};
	if (round.toSkip > 0) return { ...after, round: { ...round, toSkip: round.toSkip - 1 } };
	return after.round.answers < atOnce ? after : afterRound(after);
}

/** By Little's law, what is under way divided by how long it takes is the rate of answers. */
function afterRound(before: Parallelism): Parallelism {
	const { atOnce, most, isGrowing, isGiven, round, best, misses, setbacks } = before;
	const after = { ...before, round: NEW_ROUND, wellRounds: before.wellRounds + 1 };
	const isFull = round.reached >= atOnce && round.crowded >= atOnce / 2;
	if (!isGrowing || isGiven || !isFull) return after;
	const rate = (atOnce * round.crowded) / Math.max(1, round.crowdedTime);
	if (rate >= best.rate * GAIN) {
		const more = Math.max(atOnce + 1, Math.floor(atOnce * 1.5));
		return { ...after, atOnce: Math.min(most, more), best: { atOnce, rate }, misses: 0 };
	}
	if (misses + 1 < MISSES) return { ...after, misses: misses + 1 };
	return {
		...after,
		atOnce: best.atOnce,
		isGrowing: setbacks + 1 < SETBACKS,
		setbacks: setbacks + 1,
		misses: 0,
		// It may have had luck: it is looked at once more, when those beyond it have been answered.
		best: { ...best, rate: 0 },
		round: { ...NEW_ROUND, toSkip: atOnce },
	};
}

/** Nobody knows what has come of it, so this is not to happen again. */
function afterBreak(before: Parallelism, sent: Sent, now: number): Parallelism {
	const { atOnce, isGiven, most, borne, falls, hasBroken, wellRounds } = before;
	if (sent.falls < falls) return before;
	const isProven = hasBroken && wellRounds >= PROVEN_ROUNDS;
	if (isGiven || isProven) return { ...before, round: NEW_ROUND, wellRounds: 0 };
	const half = atLeastOne(atOnce / 2);
	const isTooMany = sent.place > borne;
	return {
		...fallen(before, half, now),
		// In later runs, too.
		most: isTooMany ? Math.min(most, Math.max(half, atLeastOne(borne * 0.9))) : most,
		isGrowing: false,
		hasBroken: true,
	};
}

function afterRefusal(
	before: Parallelism,
	sent: Sent,
	{ retryAfter, isSentAgain }: Extract<Strain, { kind: 'refused' }>,
	now: number,
	random: number,
): Parallelism {
	const { atOnce, isGiven, falls, isWell, isWellSinceFall, rests, most } = before;
	const refused = { ...before, refusedSince: before.refusedSince ?? now };
	if (sent.falls < falls) return refused;
	// A crew that is down refuses the first as well as the last.
	const isTakingSome = isWell ? isWellSinceFall : sent.place > atOnce / 2;
	const isAboutNumber = isTakingSome && !isGiven;
	const borne = Math.max(atOnce / 2, (sent.place - 1) * 0.9);
	const fewer = isAboutNumber ? Math.min(atOnce, atLeastOne(borne)) : atOnce;
	const after = fallen({ ...refused, most: isAboutNumber ? fewer : most }, fewer, now);
	const isCured = sent.place > fewer;
	if (isCured || !isSentAgain) return after;
	const own = Math.min(LONGEST_REST, FIRST_REST * 2 ** rests) * (0.5 + random);
	return { ...after, restsUntil: now + (retryAfter ?? own), rests: rests + 1 };
}

/** What is under way already says nothing of the lower number. */
function fallen(before: Parallelism, fewer: number, now: number): Parallelism {
	return {
		...before,
		atOnce: fewer,
		falls: before.falls + 1,
		fellAt: now,
		best: { atOnce: fewer, rate: 0 },
		misses: 0,
		round: NEW_ROUND,
		wellRounds: 0,
		isWellSinceFall: false,
	};
}

function atLeastOne(number: number): number {
	return Math.max(1, Math.floor(number));
}
