import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { createClient } from '../api/client';
import { paced, type Crew } from '../n8n/connect';
import { pause } from '../api/pause';
import { AT_ONCE } from '../api/retry';
import { keepWithinBounds, letGo, takeTurn } from './keptResults';
import { Polling, type Asker } from './polling';
import type { StoredWait } from './storedWait';
import { wake, type WakeAnswer } from './wake';
import { isOver, type Watched } from './watched';

const LONGEST_PAUSE = 60_000;
/** Milliseconds after a hand-over to n8n before it is asked whether it has continued. */
const VERIFIED_AFTER = 30_000;
/** Milliseconds after which n8n is asked whether an execution is still waiting, since it does not report its end. */
const CHECKED_AFTER = 3_600_000;
/** Milliseconds after the start of a wait after which its callbacks count as lost. */
const LOST_AFTER = 120_000;
/** How many waits in a row must have lost their callbacks. */
const LOST_IN_A_ROW = 2;

type Context = IExecuteFunctions | IWebhookFunctions;

/** Asks the crews at one base URL with one token, for all waits on them. */
interface SharedAsker extends Asker {
	/** The base URL, the token and how many are asked at once. */
	key: string;
	/** The context of the newest wait, through which the crew is asked. It keeps n8n's run in memory. */
	context: Context;
}

/** By the ID of the wait. */
const pollers = new Map<string, BackgroundPoller>();
/** How many waits in a row have lost their callbacks, by base URL. */
const lostCallbacks = new Map<string, number>();

/**
 * Asks the crews of a waiting execution in the background, gathers their answers, and calls the resume
 * URL when all are over, when they refuse the credential, and when the time is up. If the wait is
 * already polled for, continues with the new context and credential.
 *
 * @param crew `undefined` if the credential cannot be read, which counts as refused by the crew
 */
export function startPolling(
	context: Context,
	crew: Crew | undefined,
	wait: StoredWait,
	resumeUrl: string,
): BackgroundPoller {
	const asker = askerFor(context, crew, wait.maxParallel);
	const known = pollers.get(wait.waitId);
	if (known && known.asker !== asker) known.poke();
	if (known) return Object.assign(known, { asker });
	const one = new BackgroundPoller(asker, wait, resumeUrl);
	pollers.set(wait.waitId, one);
	void one.follow().catch(() => {
		one.end();
	});
	return one;
}

const REFUSAL = { status: 401, headers: {}, body: undefined, text: '' };
const REFUSING = createClient('', async () => await Promise.resolve(REFUSAL), AT_ONCE);
const NOWHERE = { baseUrl: '', credential: { baseUrl: '', accessToken: '' } };

function askerFor(context: Context, crew: Crew | undefined, maxParallel: number): SharedAsker {
	const own = paced(context, crew ?? NOWHERE, maxParallel);
	const newest = crew ? own : { ...own, client: REFUSING };
	const key = JSON.stringify([newest.baseUrl, newest.credential.accessToken, maxParallel]);
	for (const { asker } of pollers.values()) {
		if (asker.key !== key) continue;
		Object.assign(asker.crew, newest);
		return Object.assign(asker, { context });
	}
	return { key, context, crew: newest, answeredAt: -Infinity };
}

/** This process's poller of a wait. */
export function findPoller(waitId: string): BackgroundPoller | undefined {
	return pollers.get(waitId);
}

/** Ends all pollers of this process, as its end would. */
export function endAllPollers(): void {
	for (const one of pollers.values()) one.end();
}

/** Whether callbacks of the crews at this base URL are being lost. */
export function losesCallbacks(baseUrl: string): boolean {
	return (lostCallbacks.get(baseUrl) ?? 0) >= LOST_IN_A_ROW;
}

/** Polls for one wait of this process. Since it lives for hours, it keeps no context and no items. All times by the monotonic clock. */
export class BackgroundPoller extends Polling {
	/** Whether n8n has stored the execution. */
	isStored = false;
	/** Whether this process is calling the resume URL. */
	isCalling = false;
	/** n8n's response to the call that handed over the items. */
	handedOver?: { writableEnded: boolean; statusCode: number };
	private readonly since = performance.now();
	/** When n8n was last called. */
	private calledAt = this.since;
	private endRest?: () => void;
	/** Whether there is a reason to ask at once. */
	private isPoked = false;
	/** Callers that wait for the result of the next check. */
	private callers: Array<() => void> = [];
	/** Whether there is nothing more to wait for. */
	private isReady = false;
	/** Whether a callback came. */
	private isCalledBack = false;
	/** Whether it is its turn to keep more than there is room for. */
	private hasTurn = false;

	constructor(
		public override asker: SharedAsker,
		readonly wait: StoredWait,
		readonly resumeUrl: string,
	) {
		const all = wait.awaited.map((execution) => ({ ...execution, base: {} }));
		const offset = performance.now() - Date.now();
		super(asker, all, wait.endsAt + offset, wait.until + offset, wait.pollInterval);
	}

	/** Whether everything that is available for the items is here. */
	isComplete(): boolean {
		return this.isReady && !this.all.some(({ isCut }) => isCut);
	}

	/** Whether the items were given to n8n, and n8n has not said that it dropped them. */
	isHandedOver(): boolean {
		const { handedOver } = this;
		return handedOver !== undefined && !(handedOver.writableEnded && handedOver.statusCode >= 400);
	}

	/** Checks at once, and resolves when that is done. */
	async look(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.callers.push(resolve);
			this.poke();
		});
	}

	/** Notes that a callback came, and checks it. */
	noteCallback(): void {
		this.isCalledBack = true;
		this.poke();
		lostCallbacks.delete(this.asker.crew.baseUrl);
	}

	poke(): void {
		this.isPoked = true;
		this.endRest?.();
	}

	end(): void {
		if (pollers.get(this.wait.waitId) === this) pollers.delete(this.wait.waitId);
		letGo(this.all);
		this.poke();
		for (const tell of this.callers) tell();
	}

	async follow(): Promise<void> {
		while (this.isOpen() && !this.isReady) {
			await this.rest(this.untilNextPoll);
			if (this.isOpen()) await this.lookOnce();
		}
		// The callers that were just notified hand over the items.
		await pause(0);
		await this.handOver();
		this.end();
	}

	protected override async ask(one: Watched, timeout?: number): Promise<void> {
		await super.ask(one, timeout);
		if (this.isOpen() && !this.hasTurn) keepWithinBounds(one, this.wait.isSimple);
	}

	/** Whether it is still polled for. */
	private isOpen(): boolean {
		return pollers.get(this.wait.waitId) === this && performance.now() < this.until;
	}

	/** Waits without keeping a context. */
	private async rest(milliseconds: number): Promise<void> {
		if (!this.isPoked) {
			await new Promise<void>((resolve) => {
				this.endRest = resolve;
				void pause(milliseconds).then(resolve);
			});
		}
		this.isPoked = false;
	}

	private async lookOnce(): Promise<void> {
		const callers = this.callers.splice(0);
		const isTimeUp = await this.poll();
		if (!this.isOpen()) return;
		this.isReady = isTimeUp || this.all.every(isOver);
		for (const tell of callers) tell();
		const isCheckDue = performance.now() - this.calledAt >= CHECKED_AFTER;
		// The receiver of the call reads the credential again, as the callers that were just notified do.
		const isRefused = this.schedule.isRefused && callers.length === 0;
		if (this.isReady || !(isCheckDue || isRefused)) return;
		if (this.isGone(await this.call())) this.end();
	}

	/** Gives the items to n8n until it has continued, or will continue by itself. */
	private async handOver(): Promise<void> {
		let isNoted = false;
		for (let next = 0; this.isOpen(); next = Math.min(LONGEST_PAUSE, 1.5 * next || 1_000)) {
			await this.rest(this.isHandedOver() ? VERIFIED_AFTER : next);
			const isQueued = this.isHandedOver() && this.handedOver?.writableEnded !== true;
			if (isQueued || !this.isOpen()) continue;
			const answer = await this.gatherAndCall();
			isNoted ||= this.noteEnd(answer);
			if (this.isGone(answer)) return;
		}
	}

	/** Gathers what was too much to keep, for one wait after the other. */
	private async gatherAndCall(): Promise<WakeAnswer> {
		if (this.isComplete()) return await this.call();
		const gatherInTurn = async (): Promise<WakeAnswer> => {
			this.hasTurn = true;
			await this.gatherCut();
			const answer = this.isComplete() ? await this.call() : 'unheard';
			this.hasTurn = false;
			if (this.isHandedOver()) return answer;
			for (const one of this.all) keepWithinBounds(one, this.wait.isSimple);
			return answer;
		};
		return await takeTurn(gatherInTurn, pause(this.untilEnd));
	}

	private async gatherCut(): Promise<void> {
		const cut = () => this.all.filter(({ isCut }) => isCut);
		let before = Infinity;
		// If a crew returns none of them, others get their turn.
		for (let left = cut(); left.length > 0 && left.length < before; left = cut()) {
			before = left.length;
			const isLast = this.untilEnd === 0;
			await this.askAll(left);
			if (isLast) for (const one of left) one.isCut = false;
		}
	}

	/** Milliseconds. */
	private get untilEnd(): number {
		return Math.max(0, this.endsAt - performance.now());
	}

	private async call(): Promise<WakeAnswer> {
		this.isCalling = true;
		const answer = await wake(this.asker.context, this.resumeUrl, this.wait.waitId);
		this.isCalling = false;
		this.calledAt = performance.now();
		this.isStored ||= answer === 'ended' || answer === 'waiting';
		return answer;
	}

	/** Whether n8n has continued the execution. Before n8n has stored it, it also says that it is running. */
	private isGone(answer: WakeAnswer): boolean {
		return answer === 'over' || (answer === 'running' && this.isStored);
	}

	/** Notes whether a callback came in time, to learn whether callbacks arrive here. */
	private noteEnd(answer: WakeAnswer): boolean {
		const { baseUrl } = this.asker.crew;
		// Another process may have received the callback and ended the wait.
		const isHeard = this.isCalledBack || answer === 'over' || answer === 'running';
		const now = performance.now();
		const isLate = now - this.since >= LOST_AFTER && now < this.endsAt;
		if (isHeard) lostCallbacks.delete(baseUrl);
		else if (answer !== 'unheard' && this.wait.isCalledBack && isLate) {
			lostCallbacks.set(baseUrl, (lostCallbacks.get(baseUrl) ?? 0) + 1);
		}
		return answer !== 'unheard';
	}
}
