import { forEachLimited } from '../api/forEachLimited';
import { pause } from '../api/pause';
import type { Crew, PacedCrew } from '../n8n/connect';
import { PollingSchedule } from './pollingSchedule';
import { ask, believe, isOver, isUnanswered, type Watched } from './watched';

/** If one of them is running, asking more at once would be wasted. */
const SEARCHED_AT_ONCE = 10;
/** After this many in a row without an answer, the others would not get one either. */
const MOST_UNANSWERED = 3;
/** Milliseconds for one request. */
const LONGEST_ANSWER = 20_000;
/** Milliseconds until executions without an answer are asked for again when the time is up. */
const SHORT_PAUSE = 1_500;

/** The means to ask a crew. */
export interface Asker {
	crew: Crew & Pick<PacedCrew, 'pacer'>;
	/** When the crew last answered a wait that is at its limit, by the monotonic clock. */
	answeredAt: number;
}

/** Asks for executions again and again until all are over. All times by the monotonic clock. */
export class Polling {
	readonly schedule: PollingSchedule;

	/**
	 * @param endsAt when the time is up
	 * @param until when n8n itself ends the wait: asking stops well before that
	 * @param interval milliseconds; absent if the crews call back
	 */
	constructor(
		public asker: Asker,
		readonly all: Watched[],
		readonly endsAt: number,
		readonly until: number,
		interval?: number,
	) {
		this.schedule = new PollingSchedule(interval);
	}

	/** Milliseconds until the next poll. */
	get untilNextPoll(): number {
		// A timer ignores fractions, and would be early.
		return Math.ceil(Math.max(0, Math.min(this.schedule.left, this.endsAt - performance.now())));
	}

	/**
	 * Asks for those whose callbacks came, and if these are over, looks for one that is running: one
	 * is enough to go on waiting for all. When the time is up, asks for all.
	 *
	 * @returns whether the time is up
	 */
	async poll(): Promise<boolean> {
		const open = this.all.filter((one) => !isOver(one));
		if (performance.now() >= this.endsAt) {
			await this.askAll(open);
			for (const one of open) if (!isOver(one) && !one.told?.isDenied) believe(one);
			return true;
		}
		const asked: Watched[] = [];
		const askInTime = async (one: Watched) => {
			if (performance.now() >= this.endsAt) return;
			asked.push(one);
			await this.ask(one);
		};
		const called = open.filter(({ told }) => told);
		const silent = open.filter(({ told }) => !told);
		await forEachLimited(called, this.atOnce, askInTime);
		if (called.every(isOver)) await findRunning(shuffle(silent), this.atOnce(), askInTime);
		this.schedule.note(asked);
		return false;
	}

	/**
	 * Asks for one, and keeps the answer.
	 *
	 * @param timeout milliseconds
	 */
	protected async ask(one: Watched, timeout?: number): Promise<void> {
		const { asker } = this;
		await ask(asker.crew.client, one, timeout);
		const now = performance.now();
		if (now >= this.endsAt && !one.failure) asker.answeredAt = now;
	}

	/**
	 * Asks for each of `left`, and again for those without an answer, until the time for that many is up.
	 * The time starts again while the crew answers other waits that are at their limit. As long as there
	 * are no answers, it asks for one at a time, in turn.
	 */
	protected async askAll(left: readonly Watched[]): Promise<void> {
		const start = performance.now();
		const latest = this.until - gatheringTime(this.all.length);
		const end = () =>
			Math.min(Math.max(start, this.asker.answeredAt) + gatheringTime(left.length), latest);
		for (let open = left, next = left; ;) {
			await forEachLimited(next, this.atOnce, async (one) => {
				const time = Math.min(LONGEST_ANSWER, end() - performance.now());
				if (time > 0) await this.ask(one, time);
			});
			const unanswered = next.filter(isUnanswered);
			open = [...open.filter((one) => !next.includes(one)), ...unanswered];
			next = next.every(({ failure }) => failure) ? open.slice(0, 1) : open;
			const retryAfter = unanswered.map(({ failure }) => failure?.retryAfter ?? 0);
			const rest = Math.max(SHORT_PAUSE, ...retryAfter);
			if (open.length === 0 || performance.now() + rest >= end()) return;
			if (unanswered.length > 0) await pause(rest);
		}
	}

	/** How many are asked for at once, at the moment. */
	private readonly atOnce = () => this.asker.crew.pacer.limit('GET');
}

/**
 * Searches for an execution that is still running. Asks for one, then two, then four at once, so that
 * N executions that end one by one cost N log N requests rather than N squared.
 */
export async function findRunning(
	open: readonly Watched[],
	atOnce: number,
	askOne: (one: Watched) => Promise<unknown>,
): Promise<void> {
	let unanswered = 0;
	for (let from = 0, size = 1; from < open.length; from += size, size *= 2) {
		size = Math.min(size, atOnce, SEARCHED_AT_ONCE);
		const batch = open.slice(from, from + size);
		await Promise.all(batch.map(askOne));
		if (batch.some((one) => !isOver(one) && !one.failure)) return;
		unanswered = batch.every((one) => !isOver(one)) ? unanswered + batch.length : 0;
		if (unanswered >= MOST_UNANSWERED) return;
	}
}

/** Milliseconds for asking for this many, if ten at once take 5 s. */
export function gatheringTime(count: number): number {
	return LONGEST_ANSWER + count * 500;
}

/** A copy of `entries` in any order. */
function shuffle<T>(entries: readonly T[]): T[] {
	return entries
		.map((entry) => ({ entry, order: Math.random() }))
		.sort((a, b) => a.order - b.order)
		.map(({ entry }) => entry);
}
