import { isOver, isRefused, type Watched } from './watched';

/** The most milliseconds for which a server is left alone, however long it asks for. */
const LONGEST_RETRY_AFTER = 600_000;
/** While a crew is away, pauses are this part of the time since then; at most this many milliseconds. */
const AWAY = { part: 0.1, most: 3_600_000 };
/** Milliseconds between two requests if a callback, or another process of the crew, said otherwise; and if they are refused. */
const AGAIN = { first: 1_000, most: 16_000 };
const REFUSED = { first: 30_000, most: 240_000 };

/** Twice as much each time. */
const growing = ({ first, most }: typeof AGAIN, times: number) =>
	Math.min(most, first * 2 ** (times - 1));

/** Decides when to ask the crews of a wait. All times by the monotonic clock. */
export class PollingSchedule {
	private polls = 0;
	private nextAt: number;
	/** How many polls in a row left something to ask for again soon. */
	private again = 0;
	private refusals = 0;
	private awaySince?: number;

	/** @param interval milliseconds; absent if the crews call back */
	constructor(private readonly interval?: number) {
		this.nextAt = performance.now() + this.pause();
	}

	/** Milliseconds until the next poll. */
	get left(): number {
		return Math.max(0, this.nextAt - performance.now());
	}

	/** Whether the last poll found that the crew refuses the credential. */
	get isRefused(): boolean {
		return this.refusals > 0;
	}

	/** Notes what a poll has found about the executions that it asked for. */
	note(asked: readonly Watched[]): void {
		const now = performance.now();
		const open = asked.filter((one) => !isOver(one));
		const isRefusedNow = open.length > 0 && open.every(isRefused);
		this.refusals = isRefusedNow ? this.refusals + 1 : 0;
		if (this.refusals > 0) this.nextAt = now + growing(REFUSED, this.refusals);
		else if (now >= this.nextAt) {
			this.polls++;
			this.nextAt = now + this.pause();
		}
		const isInDoubt = open.some((one) => one.told ?? one.missingSince !== undefined);
		this.again = isInDoubt ? this.again + 1 : 0;
		if (this.again > 0) this.nextAt = Math.min(this.nextAt, now + growing(AGAIN, this.again));
		const retryAfter = Math.max(0, ...open.map(({ failure }) => failure?.retryAfter ?? 0));
		this.nextAt = Math.max(this.nextAt, now + Math.min(retryAfter, LONGEST_RETRY_AFTER));
		this.awaySince = asked.every(({ failure }) => failure) ? (this.awaySince ?? now) : undefined;
		const away = AWAY.part * (now - (this.awaySince ?? now));
		this.nextAt = Math.max(this.nextAt, now + Math.min(away, AWAY.most));
	}

	/** When polling: soon for quick crews, less often for slow ones. With callbacks: in case one is lost. */
	private pause(): number {
		const { interval, polls } = this;
		if (interval === undefined) return [3_000, 117_000][polls] ?? 240_000 + Math.random() * 30_000;
		if (polls === 0) return Math.min(1_000, interval);
		const most = Math.max(30_000, interval);
		return Math.min(most, interval * 1.5 ** (polls - 1)) * (0.9 + Math.random() * 0.2);
	}
}
