import { ConcurrencyLimiter, type Outcome } from '../../nodes/Crew/pacing/concurrencyLimiter';
import type { Slot } from '../../nodes/Crew/pacing/cubicLimit';
import { SeededRandom } from './seededRandom';

/** A crew's reply to a request. */
export interface Reply {
	/** Milliseconds until it answers. */
	after: number;
	kind: 'success' | 'refused' | 'failed';
	/** Milliseconds for which it asks to wait. */
	retryAfter?: number;
}

/** A crew without a network, in simulated time. */
export type SimulatedCrew = (request: {
	/** How many other requests are unanswered. */
	underWay: number;
	/** Milliseconds since the run began. */
	now: number;
	/** From 0 to 1. */
	random: () => number;
}) => Reply;

/** The default start of a run, in milliseconds. */
const START = 1_000_000;

/** The result of a run. */
interface SimulatedRun {
	/** Milliseconds. */
	time: number;
	requests: number;
	started: number;
	/** Items for which it is unknown whether a crew was started. */
	unclear: number;
	/** Items that were given up. */
	failed: number;
	/** The most requests at the same time. */
	most: number;
	/** When items were started, in milliseconds since the run began. */
	startedAt: number[];
	/** The limiter, with what it has learned about the crew, and the end of the run in its time. */
	limiter: ConcurrencyLimiter;
	endedAt: number;
}

interface UnderWay {
	endsAt: number;
	reply: Reply;
	slot: Slot;
	refusedAt?: number;
}

interface Simulation {
	/** The number of items. */
	items?: number;
	/** Milliseconds after which no more items are started. */
	lasts?: number;
	limiter?: ConcurrencyLimiter;
	from?: number;
	seed?: number;
}

/** Milliseconds that n8n's single thread needs for each request. */
const COST = 1.5;

/** Sends a request for each item through the limiter to a crew, in simulated time. */
export function simulate(crew: SimulatedCrew, simulation: Simulation = {}): SimulatedRun {
	const { items = 500, lasts = Infinity, from = START, seed = 1 } = simulation;
	const { limiter = new ConcurrencyLimiter(0) } = simulation;
	const chance = new SeededRandom(seed);
	const random = () => chance.fraction();
	const again: Array<{ notBefore: number; refusedAt: number }> = [];
	const underWay: UnderWay[] = [];
	const run = { requests: 0, started: 0, unclear: 0, failed: 0, most: 0 };
	const startedAt: number[] = [];
	let [left, now] = [items, from];

	const nextAfter = (time: number) => {
		const times = [
			...underWay.map(({ endsAt }) => endsAt),
			...again.map(({ notBefore }) => notBefore),
			limiter.restsUntil,
		];
		return Math.min(...times.filter((at) => at > time));
	};
	const sendNext = (): boolean => {
		const index = again.findIndex(({ notBefore }) => notBefore <= now);
		if (now >= from + lasts) left = 0;
		const slot = index >= 0 || left > 0 ? limiter.tryAcquire(now) : undefined;
		if (!slot) return false;
		const [first] = index >= 0 ? again.splice(index, 1) : [];
		if (!first) left--;
		const reply = crew({ underWay: underWay.length, now: now - from, random });
		underWay.push({ endsAt: now + reply.after, reply, slot, refusedAt: first?.refusedAt });
		run.requests++;
		run.most = Math.max(run.most, underWay.length);
		now += COST;
		return true;
	};
	const take = ({ reply, slot, refusedAt = now }: UnderWay) => {
		const { kind, retryAfter } = reply;
		const isSentAgain = kind === 'refused' && limiter.isPatient(refusedAt, now);
		const outcome: Outcome = kind === 'refused' ? { kind, retryAfter, isSentAgain } : { kind };
		limiter.release(slot, outcome, now, random());
		if (kind === 'success') run.started = startedAt.push(now - from);
		if (kind === 'failed') run.unclear++;
		if (isSentAgain) again.push({ notBefore: now + (retryAfter ?? 0), refusedAt });
		else if (kind === 'refused') run.failed++;
	};
	while (left + again.length + underWay.length > 0) {
		const index = underWay.findIndex(({ endsAt }) => endsAt <= now);
		if (index >= 0) take(...(underWay.splice(index, 1) as [UnderWay]));
		else if (!sendNext() && left + again.length + underWay.length > 0) now = nextAfter(now);
	}
	return { ...run, time: now - from, startedAt, limiter, endedAt: now };
}

/** Answers after `latency`, or up to a share `spread` earlier or later, whatever the number of requests at once. */
export function steady(latency: number, spread = 0): SimulatedCrew {
	return ({ random }) => ({
		after: latency * (1 - spread + 2 * spread * random()),
		kind: 'success',
	});
}

/** Accepts this many requests at once and answers 429 to others. */
export function bearing(most: number, latency: number, retryAfter?: number): SimulatedCrew {
	return ({ underWay }) =>
		underWay >= most
			? { after: 2, kind: 'refused', retryAfter }
			: { after: latency, kind: 'success' };
}

/** A gateway that lets through this many at once and answers 502 to others, after `breaksAfter`. */
export function breakingBeyond(most: number, latency: number, breaksAfter: number): SimulatedCrew {
	return ({ underWay }) =>
		underWay >= most ? { after: breaksAfter, kind: 'failed' } : { after: latency, kind: 'success' };
}

/** Handles this many at once, and makes others wait. */
export function processorBound(workers: number, work: number): SimulatedCrew {
	const freeAt = Array<number>(workers).fill(0);
	return ({ now }) => {
		freeAt.sort((a, b) => a - b);
		const done = Math.max(now, freeAt[0] ?? 0) + work;
		freeAt[0] = done;
		return { after: done - now, kind: 'success' };
	};
}

/** Takes twice as long with this many others, and increasingly longer with each further one. */
export function slowing(latency: number, doubledBeside: number): SimulatedCrew {
	return ({ underWay, random }) => ({
		after: latency * (1 + (underWay / doubledBeside) ** 2) * (0.9 + 0.2 * random()),
		kind: 'success',
	});
}
