import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { forEachLimited } from '../api/forEachLimited';
import { pause } from '../api/pause';
import type { PacedCrew } from '../n8n/connect';
import { PollingSchedule } from './pollingSchedule';
import type { StoredWait } from './storedWait';
import { ask, believe, isOver, isUnanswered, type StatusReader, type Watched } from './watched';

/** If one of them is running, asking more at once would be wasted. */
const SEARCHED_AT_ONCE = 10;
/** After this many in a row without an answer, the others would not get one either. */
const MOST_UNANSWERED = 3;
/** Milliseconds for one request. */
const LONGEST_ANSWER = 20_000;
/** Milliseconds until executions without an answer are asked for again when the time is up. */
const SHORT_PAUSE = 1_500;

/** The means to ask a crew. Waits for the same crew with the same token share them. */
export interface Asker {
	/** The context of the newest wait, through which the crew is asked. It keeps n8n's run in memory. */
	context: IExecuteFunctions | IWebhookFunctions;
	crew: Omit<PacedCrew, 'client'> & { client: StatusReader };
	/** When the crew last answered a wait that is at its limit, by the monotonic clock. */
	answeredAt: number;
}

/** Asks for executions again and again until all are over. All times by the monotonic clock. */
export class Polling {
	readonly schedule: PollingSchedule;
	protected readonly endsAt: number;
	protected readonly until: number;
	private isTimeUp = false;

	constructor(
		public asker: Asker,
		readonly all: Watched[],
		{ endsAt, until, pollInterval }: Pick<StoredWait, 'endsAt' | 'until' | 'pollInterval'>,
	) {
		const offset = performance.now() - Date.now();
		this.endsAt = endsAt + offset;
		this.until = until + offset;
		this.schedule = new PollingSchedule(pollInterval);
	}

	/** Whether there is nothing more to wait for. */
	get isDone(): boolean {
		return this.isTimeUp || this.all.every(isOver);
	}

	/** Milliseconds until the next poll. */
	get untilNextPoll(): number {
		// A timer ignores fractions, and would be early.
		return Math.ceil(Math.max(0, Math.min(this.schedule.left, this.endsAt - performance.now())));
	}

	/**
	 * Asks for those whose callbacks came, and if these are over, looks for one that is running: one
	 * is enough to go on waiting for all. When the time is up, asks for all.
	 */
	async poll(): Promise<void> {
		const open = this.all.filter((one) => !isOver(one));
		if (performance.now() >= this.endsAt) {
			await this.askAll(open);
			for (const one of open) if (!isOver(one) && !one.told?.isDenied) believe(one);
			this.isTimeUp = true;
			return;
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
	}

	/** Asks for one, and keeps the answer. `timeout` in milliseconds. */
	protected async ask(one: Watched, timeout?: number): Promise<void> {
		await ask(this.asker.crew.client, one, timeout);
	}

	/**
	 * Asks for each of `left`, and again for those without an answer, until the time for that many is up.
	 * The time starts again with each answer; if the wait is at its limit, also with those to other waits
	 * that are. As long as there are no answers, it asks for one at a time, in turn.
	 */
	protected async askAll(left: readonly Watched[]): Promise<void> {
		const start = performance.now();
		const answers = start < this.endsAt ? { answeredAt: start } : this.asker;
		const latest = this.until - gatheringTime(this.all.length);
		const end = () =>
			Math.min(Math.max(start, answers.answeredAt) + gatheringTime(left.length), latest);
		for (let open = left, next = left; ;) {
			await forEachLimited(next, this.atOnce, async (one) => {
				const time = Math.min(LONGEST_ANSWER, end() - performance.now());
				if (time <= 0) return;
				await this.ask(one, time);
				if (!one.failure) answers.answeredAt = performance.now();
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
