import { refusal } from '../api/errors';
import { pause } from '../api/pause';
import { paced, type Crew } from '../n8n/connect';
import { keepWithinBounds, letGo, takeTurn } from './keptResults';
import { Polling, type Asker } from './polling';
import type { StoredWait } from './storedWait';
import { wake, type WakeAnswer } from './wake';
import type { Watched } from './watched';

const LONGEST_PAUSE = 60_000;
/** Milliseconds for which a caller waits for the answer. */
const PATIENCE = 5_000;
/** Milliseconds after a hand-over to n8n before it is asked whether it has continued. */
const VERIFIED_AFTER = 30_000;
/** Milliseconds after which n8n is asked whether an execution is still waiting, since it does not report its end. */
const CHECKED_AFTER = 3_600_000;
/** Milliseconds after the start of a wait after which its callbacks count as lost. */
const LOST_AFTER = 120_000;
/** How many waits in a row must have lost their callbacks. */
const LOST_IN_A_ROW = 2;

/** n8n's database failed between two writes, and n8n refuses every further call. */
const DROPPED =
	'n8n says that an execution is running, but failed to continue it: if it does not end, stop it and read the results with Get Status';

/** By the ID of the wait. */
const pollers = new Map<string, BackgroundPoller>();
/** How many waits in a row have lost their callbacks, by base URL. */
const lostCallbacks = new Map<string, number>();

/**
 * Asks the crews of a waiting execution in the background, gathers their answers, and calls the resume
 * URL when all are over, when they refuse the credential, and when the time is up. If the wait is
 * already polled for, continues with the new context and credential.
 *
 * @param crew `undefined` if the credential cannot be read: then a known one is kept, and otherwise it
 * counts as refused by the crew
 */
export function startPolling(
	context: Asker['context'],
	crew: Crew | undefined,
	wait: StoredWait,
	resumeUrl: string,
): BackgroundPoller {
	const known = pollers.get(wait.waitId);
	if (known && !crew) return known;
	const asker = askerFor(context, crew, wait.maxParallel);
	if (known && known.asker !== asker) known.poke();
	if (known) return Object.assign(known, { asker });
	const one = new BackgroundPoller(asker, wait, resumeUrl);
	pollers.set(wait.waitId, one);
	const end = () => {
		one.end();
	};
	void one.follow().then(end, end);
	return one;
}

const REFUSAL = refusal('status', { status: 401, headers: {}, body: undefined, text: '' });
const REFUSING = { getStatusOnce: async () => await Promise.reject(REFUSAL) };
const NOWHERE = { baseUrl: '', credential: { baseUrl: '', accessToken: '' } };

function askerFor(context: Asker['context'], known: Crew | undefined, maxParallel: number): Asker {
	const own = paced(context, known ?? NOWHERE, maxParallel);
	const crew = known ? own : { ...own, client: REFUSING };
	for (const { asker } of pollers.values()) {
		if (isSame(asker.crew, crew)) return Object.assign(asker, { context, crew });
	}
	return { context, crew, answeredAt: -Infinity };
}

function isSame(one: Asker['crew'], other: Asker['crew']): boolean {
	const isSameToken = one.credential.accessToken === other.credential.accessToken;
	return isSameToken && one.baseUrl === other.baseUrl && one.maxParallel === other.maxParallel;
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
	/** n8n's response to the call that handed over the items. */
	handedOver?: { writableEnded: boolean; statusCode: number };
	private isCalling = false;
	private readonly since = performance.now();
	/** When n8n was last called. */
	private calledAt = this.since;
	private endRest?: () => void;
	/** Whether there is a reason to ask at once. */
	private isPoked = false;
	/** Callers that wait for the result of the next check. */
	private callers: Array<() => void> = [];
	/** Whether it is still unknown whether callbacks arrive here. */
	private isCallbackDue = true;
	/** Whether it is its turn to keep more than there is room for. */
	private hasTurn = false;

	constructor(
		asker: Asker,
		readonly wait: StoredWait,
		readonly resumeUrl: string,
	) {
		const all = wait.awaited.map((execution) => ({ ...execution, base: {} }));
		super(asker, all, wait);
	}

	/** Whether everything that is available for the items is here. */
	isComplete(): boolean {
		return this.isDone && !this.all.some(({ isCut }) => isCut);
	}

	/** Whether the items were given to n8n, and n8n has not said that it dropped them. */
	isHandedOver(): boolean {
		const { handedOver } = this;
		return handedOver !== undefined && !(handedOver.writableEnded && handedOver.statusCode >= 400);
	}

	/** Checks at once, for a call of the resume URL other than its own, and resolves when that is done. */
	async look(): Promise<void> {
		if (this.isCalling || this.isComplete()) return;
		const looking = new Promise<void>((resolve) => {
			this.callers.push(resolve);
			this.poke();
		});
		await Promise.race([looking, pause(PATIENCE)]);
	}

	/** Notes that a callback came, and checks it. */
	noteCallback(): void {
		this.isCallbackDue = false;
		lostCallbacks.delete(this.asker.crew.baseUrl);
		this.poke();
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
		while (this.isOpen() && !this.isDone) {
			await this.rest(this.untilNextPoll);
			if (this.isOpen()) await this.lookOnce();
		}
		// The callers that were just notified hand over the items.
		await pause(0);
		await this.handOver();
	}

	protected override async ask(one: Watched, timeout?: number): Promise<void> {
		await super.ask(one, timeout);
		if (this.isOpen() && !this.hasTurn) keepWithinBounds(one, this.wait.isSimple);
	}

	/** Whether it is still polled for. */
	private isOpen(): boolean {
		return pollers.get(this.wait.waitId) === this && performance.now() < this.until;
	}

	/** Not `pause` with a signal, which would take more memory. */
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
		await this.poll();
		for (const tell of callers) tell();
		if (!this.isOpen() || this.isDone) return;
		// The receiver of the call reads the credential again, as the callers that were just notified do.
		const isRefused = this.schedule.isRefused && callers.length === 0;
		if (isRefused || performance.now() - this.calledAt >= CHECKED_AFTER) await this.call();
	}

	/** Gives the items to n8n until it has continued, or will continue by itself. */
	private async handOver(): Promise<void> {
		for (let next = 0; this.isOpen(); next = Math.min(LONGEST_PAUSE, 1.5 * next || 1_000)) {
			await this.rest(this.isHandedOver() ? VERIFIED_AFTER : next);
			if (!this.isOpen()) return;
			if (this.isComplete()) await this.call();
			else await this.gatherInTurn();
		}
	}

	/** Gathers what was too much to keep, for one wait after the other. */
	private async gatherInTurn(): Promise<void> {
		const gather = async () => {
			this.hasTurn = true;
			const cut = this.all.filter(({ isCut }) => isCut);
			const isLast = performance.now() >= this.endsAt;
			await this.askAll(cut);
			if (isLast) for (const one of cut) one.isCut = false;
			if (this.isComplete()) await this.call();
			this.hasTurn = false;
			if (this.isHandedOver()) return;
			for (const one of this.all) keepWithinBounds(one, this.wait.isSimple);
		};
		await takeTurn(gather, pause(Math.max(0, this.endsAt - performance.now())));
	}

	/** Calls n8n, and ends if n8n has continued. Before it has stored the execution, it also says that it is running. */
	private async call(): Promise<void> {
		this.isCalling = true;
		const answer = await wake(this.asker.context, this.resumeUrl, this.wait.waitId);
		this.isCalling = false;
		this.calledAt = performance.now();
		if (answer === 'heard') this.isStored = true;
		if (this.isDone && answer !== 'unheard') this.noteEnd(answer);
		const isTaken = answer === 'running' && this.isStored;
		if (isTaken && this.handedOver && !this.isHandedOver()) {
			const kickoffIds = this.all.map(({ kickoffId }) => kickoffId);
			this.asker.context.logger.error(DROPPED, { kickoffIds });
		}
		if (answer === 'over' || isTaken) this.end();
	}

	/** Learns whether callbacks arrive here. */
	private noteEnd(answer: WakeAnswer): void {
		if (!this.isCallbackDue) return;
		this.isCallbackDue = false;
		const { baseUrl } = this.asker.crew;
		const isLate = this.calledAt - this.since >= LOST_AFTER && this.calledAt < this.endsAt;
		// Another process may have received the callback and ended the wait.
		if (answer !== 'heard') lostCallbacks.delete(baseUrl);
		else if (isLate && this.wait.pollInterval === undefined) {
			lostCallbacks.set(baseUrl, (lostCallbacks.get(baseUrl) ?? 0) + 1);
		}
	}
}
