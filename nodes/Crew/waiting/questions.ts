import type { Crew } from '../api/connect';
import { forEachLimited } from '../api/forEachLimited';
import { statusesAtOnce } from '../api/gate';
import { pause } from '../api/pause';
import { shuffle } from '../model/shuffle';
import type { PollingSchedule } from './pollingSchedule';
import { ask, isOver, type Watched } from './watched';

/** More at once would be asked in vain, where one of them is running. */
const SEARCHED_AT_ONCE = 10;
/** So many without an answer in a row: the others would not get one either. */
const MOST_UNANSWERED = 3;
/** Milliseconds for one question. */
const LONGEST_ANSWER = 20_000;

/** Executions that are asked for in rounds, until all are over. */
export interface Rounds {
	all: Watched[];
	schedule: PollingSchedule;
	/** Until when a round goes on at most, in milliseconds since the epoch. */
	endsAt: number;
	/** 0 where the node finds it out. */
	maxParallel: number;
}

type Asked = Pick<Crew, 'client' | 'baseUrl'>;

/**
 * Asks for those whose callbacks came, and where these are over, looks for one that is running: one
 * is enough to go on waiting for all.
 */
export async function askRound(rounds: Rounds, crew: Asked): Promise<void> {
	const { all, schedule, maxParallel, endsAt } = rounds;
	const asked: Watched[] = [];
	const askOne = async (one: Watched) => {
		if (Date.now() >= endsAt) return;
		asked.push(one);
		await ask(crew.client, one);
	};
	const open = all.filter((one) => !isOver(one));
	const called = open.filter(({ told }) => told);
	const silent = open.filter(({ told }) => !told);
	await forEachLimited(called, statusesAtOnce(crew.baseUrl, maxParallel), askOne);
	if (called.every(isOver)) await findRunning(shuffle(silent), maxParallel, askOne);
	schedule.note(asked);
}

/**
 * Looks for an execution that is still running. Asks one, then two, then four at once, so that N
 * executions that end one by one cost N log N requests and not N squared.
 *
 * @param maxParallel how many to ask at once at most; 0 for no choice
 */
export async function findRunning(
	open: readonly Watched[],
	maxParallel: number,
	askOne: (one: Watched) => Promise<unknown>,
): Promise<void> {
	let unanswered = 0;
	for (let from = 0, size = 1; from < open.length; from += size, size *= 2) {
		size = Math.min(size, maxParallel || SEARCHED_AT_ONCE);
		const batch = open.slice(from, from + size);
		await Promise.all(batch.map(askOne));
		if (batch.some((one) => !isOver(one) && !one.failure)) return;
		unanswered = batch.every((one) => !isOver(one)) ? unanswered + batch.length : 0;
		if (unanswered >= MOST_UNANSWERED) return;
	}
}

/** Milliseconds for asking all of so many: as long as ten at once take that need 5 s each. */
export function gatheringTime(count: number): number {
	return LONGEST_ANSWER + count * 500;
}

/**
 * Asks for each of `left`, and again for those without an answer until the time is up. While nothing
 * is answered, one of them is asked for all.
 *
 * @param time milliseconds for all of them together
 */
export async function askAll(
	left: readonly Watched[],
	{ client, baseUrl }: Asked,
	maxParallel: number,
	time: number,
): Promise<void> {
	const end = performance.now() + time;
	for (let open = left, next = left; ;) {
		await forEachLimited(next, statusesAtOnce(baseUrl, maxParallel), async (one) => {
			const rest = Math.min(LONGEST_ANSWER, end - performance.now());
			if (rest > 0) await ask(client, one, rest);
		});
		const unanswered = next.filter(({ failure }) => failure?.transient);
		const isAway = unanswered.length === next.length;
		open = open.filter((one) => !next.includes(one) || unanswered.includes(one));
		next = isAway ? open.slice(0, 1) : open;
		const retryAfter = unanswered.map(({ failure }) => failure?.retryAfter ?? 0);
		const rest = Math.max(1_000, ...retryAfter);
		if (open.length === 0 || performance.now() + rest >= end) return;
		if (unanswered.length > 0) await pause(rest);
	}
}
