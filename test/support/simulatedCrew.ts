import {
	begin,
	hasRoom,
	isPatient,
	send,
	settle,
	type Parallelism,
	type Sent,
	type Strain,
} from '../../nodes/Crew/api/parallelism';
import { SeededRandom } from './seededRandom';

/** What a crew makes of a request. */
interface Reply {
	/** Milliseconds until it answers. */
	after: number;
	kind: 'well' | 'refused' | 'broken';
	/** Milliseconds that it asks to wait. */
	retryAfter?: number;
}

/** A crew without a network, in simulated time. */
export type SimulatedCrew = (request: {
	/** How many others are not answered yet. */
	underWay: number;
	/** Milliseconds since the run began. */
	now: number;
	/** From 0 to 1. */
	random: () => number;
}) => Reply;

/** When a run begins unless told otherwise, in milliseconds since the epoch. */
export const START = 1_000_000;

/** What came of a run. */
interface SimulatedRun {
	/** Milliseconds. */
	time: number;
	requests: number;
	started: number;
	/** Items of which nobody knows whether a crew was started. */
	unclear: number;
	/** Items that were given up. */
	failed: number;
	/** The most that were under way at the same time. */
	most: number;
	/** What is known of the crew then. */
	known: Parallelism;
}

interface UnderWay {
	endsAt: number;
	reply: Reply;
	sent: Sent;
	refusedAt?: number;
}

/** Milliseconds of n8n's one thread for each request. */
const COST = 1.5;

/** Sends a request for each item through the state machine, at a crew in simulated time. */
export function simulate(
	crew: SimulatedCrew,
	{
		items = 500,
		given = 0,
		known = begin(given),
		from = START,
		seed = 1,
	}: { items?: number; given?: number; known?: Parallelism; from?: number; seed?: number } = {},
): SimulatedRun {
	const chance = new SeededRandom(seed);
	const random = () => chance.fraction();
	const queue: Array<{ notBefore: number; refusedAt?: number }> = Array.from(
		{ length: items },
		() => ({ notBefore: from }),
	);
	const underWay: UnderWay[] = [];
	const run = { time: 0, requests: 0, started: 0, unclear: 0, failed: 0, most: 0 };
	let parallelism = known;
	let now = from;

	const nextAfter = (time: number) => {
		const times = [
			...underWay.map(({ endsAt }) => endsAt),
			...queue.map(({ notBefore }) => notBefore),
			parallelism.restsUntil,
		];
		return Math.min(...times.filter((at) => at > time));
	};
	const sendNext = (): boolean => {
		const index = queue.findIndex(({ notBefore }) => notBefore <= now);
		if (index < 0 || !hasRoom(parallelism, underWay.length, now)) return false;
		const [{ refusedAt }] = queue.splice(index, 1) as unknown as [{ refusedAt?: number }];
		const { sent, after } = send(parallelism, underWay.length, now);
		parallelism = after;
		const reply = crew({ underWay: underWay.length, now: now - from, random });
		underWay.push({ endsAt: now + reply.after, reply, sent, refusedAt });
		run.requests++;
		run.most = Math.max(run.most, underWay.length);
		now += COST;
		return true;
	};
	const take = ({ reply, sent, refusedAt }: UnderWay) => {
		if (reply.kind === 'well') run.started++;
		if (reply.kind === 'broken') run.unclear++;
		const since = refusedAt ?? now;
		const isSentAgain =
			reply.kind === 'refused' && isPatient(parallelism, underWay.length, since, now);
		const { kind, retryAfter } = reply;
		const strain: Strain = kind === 'refused' ? { kind, retryAfter, isSentAgain } : { kind };
		parallelism = settle(parallelism, sent, strain, now, random());
		if (isSentAgain) queue.unshift({ notBefore: now + (retryAfter ?? 0), refusedAt: since });
		else if (reply.kind === 'refused') run.failed++;
	};
	while (queue.length + underWay.length > 0) {
		const index = underWay.findIndex(({ endsAt }) => endsAt <= now);
		if (index >= 0) take(...(underWay.splice(index, 1) as [UnderWay]));
		else if (!sendNext()) now = nextAfter(now);
	}
	return { ...run, time: now - from, known: parallelism };
}

/** Answers after `latency`, or up to a share `spread` earlier or later, however many there are at once. */
export function steady(latency: number, spread = 0): SimulatedCrew {
	return ({ random }) => ({ after: latency * (1 - spread + 2 * spread * random()), kind: 'well' });
}

/** Takes so many at once and answers 429 to others. */
export function bearing(most: number, latency: number, retryAfter?: number): SimulatedCrew {
	return ({ underWay }) =>
		underWay >= most ? { after: 2, kind: 'refused', retryAfter } : { after: latency, kind: 'well' };
}

/** A gateway that lets so many through at once and answers 502 to others, after `breaksAfter`. */
export function breakingBeyond(most: number, latency: number, breaksAfter: number): SimulatedCrew {
	return ({ underWay }) =>
		underWay >= most ? { after: breaksAfter, kind: 'broken' } : { after: latency, kind: 'well' };
}

/** Works on so many at once, and has others wait. */
export function processorBound(workers: number, work: number): SimulatedCrew {
	const freeAt = Array<number>(workers).fill(0);
	return ({ now }) => {
		freeAt.sort((a, b) => a - b);
		const done = Math.max(now, freeAt[0] ?? 0) + work;
		freeAt[0] = done;
		return { after: done - now, kind: 'well' };
	};
}

/** Takes twice as long beside so many others, and longer and longer with each one more. */
export function slowing(latency: number, doubledBeside: number): SimulatedCrew {
	return ({ underWay, random }) => ({
		after: latency * (1 + (underWay / doubledBeside) ** 2) * (0.9 + 0.2 * random()),
		kind: 'well',
	});
}
