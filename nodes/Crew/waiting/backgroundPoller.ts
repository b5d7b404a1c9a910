import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { createClient } from '../api/client';
import { paced, type Crew, type PacedCrew } from '../api/connect';
import { Ending, pause } from '../api/pause';
import { AT_ONCE } from '../api/retry';
import { keepWithinBounds, letGo, takeTurn } from './keptResults';
import { PollingSchedule } from './pollingSchedule';
import { askAll, askRound, untilNextRound, type Rounds } from './questions';
import type { StoredWait } from './storedWait';
import { wake, type WakeAnswer } from './wake';
import { ask, isOver } from './watched';

const LONGEST_PAUSE = 60_000;
/** Milliseconds after which n8n, which took the end, is asked whether it has gone on. */
const VERIFIED_AFTER = 30_000;
/** Milliseconds after which n8n is asked whether an execution still waits: it does not tell of its end. */
const CHECKED_AFTER = 3_600_000;
/** Milliseconds after its start at which a wait that no callback has ended has lost them. */
const LOST_AFTER = 120_000;
/** How many waits in a row have to lose their callbacks. */
const LOST_IN_A_ROW = 2;

type Context = IExecuteFunctions | IWebhookFunctions;

/** How the crews at one base URL are asked with one token, for all waits on them. */
interface Asker {
	/** The base URL, the token and how many are asked at once. */
	key: string;
	/** That of the newest wait, through which the crew is asked: n8n keeps its run in memory as long. */
	context: Context;
	crew: PacedCrew;
}

/** One wait that this process watches. It is kept for hours: no context, no items. */
export interface Watch extends Rounds {
	asker: Asker;
	resumeUrl: string;
	wait: StoredWait;
	/** When it began, when n8n itself ends it, and when n8n was last called; by the monotonic clock. */
	since: number;
	until: number;
	calledAt: number;
	rest: Ending;
	/** Whether there is a reason not to rest. */
	isPoked?: boolean;
	/** Those who wait for what the next look finds. */
	callers: Array<() => void>;
	/** Whether nothing more is waited for. */
	isReady?: boolean;
	/** Whether this process is calling the resume URL. */
	isCalling?: boolean;
	/** Whether n8n has stored the execution. */
	isStored?: boolean;
	/** Whether a callback came. */
	isCalledBack?: boolean;
	/** n8n's answer to the call with which the items were handed over. */
	handedOver?: { writableEnded: boolean; statusCode: number };
}

/** By the ID of the wait. */
const watches = new Map<string, Watch>();
/** How many waits in a row have lost their callbacks, by base URL. */
const lostCallbacks = new Map<string, number>();

/**
 * Asks the crews of a waiting execution in the background, gathers what they answer, and calls the
 * resume URL when all are over, when they refuse the credential, and when the time is up. Goes on with
 * another context and credential where the wait is watched already.
 *
 * @param crew `undefined` where the credential cannot be read: as if the crew refused it
 */
export function watch(
	context: Context,
	crew: Crew | undefined,
	wait: StoredWait,
	resumeUrl: string,
): Watch {
	const { waitId, awaited, pollInterval, maxParallel, isSimple } = wait;
	const asker = askerFor(context, crew, maxParallel);
	const known = watches.get(waitId);
	if (known && known.asker !== asker) poke(known);
	if (known) return Object.assign(known, { asker });
	const since = performance.now();
	const inProcess = (time: number) => since + time - Date.now();
	const one: Watch = {
		...{ asker, resumeUrl, wait, rest: new Ending(), callers: [] },
		...{ since, calledAt: since, endsAt: inProcess(wait.endsAt), until: inProcess(wait.until) },
		all: awaited.map((execution) => ({ ...execution, base: {} })),
		schedule: new PollingSchedule(pollInterval),
		askOne: async (watched, timeout) => {
			await ask(one.asker.crew.client, watched, timeout);
			if (isOpen(one)) keepWithinBounds(watched, isSimple);
		},
		atOnce: () => one.asker.crew.pacer.limit('GET'),
	};
	watches.set(waitId, one);
	void follow(one).catch(() => {
		end(one);
	});
	return one;
}

const REFUSAL = { status: 401, headers: {}, body: undefined, text: '' };
const REFUSING = createClient('', async () => await Promise.resolve(REFUSAL), AT_ONCE);
const NOWHERE = { baseUrl: '', credential: { baseUrl: '', accessToken: '' } };

function askerFor(context: Context, crew: Crew | undefined, maxParallel: number): Asker {
	const newest = paced(context, crew ?? NOWHERE, maxParallel);
	if (!crew) newest.client = REFUSING;
	const key = JSON.stringify([newest.baseUrl, newest.credential.accessToken, maxParallel]);
	for (const { asker } of watches.values()) {
		if (asker.key !== key) continue;
		Object.assign(asker.crew, newest);
		return Object.assign(asker, { context });
	}
	return { key, context, crew: newest };
}

/** The watch of this process for a wait. */
export function findWatch(waitId: string): Watch | undefined {
	return watches.get(waitId);
}

/** Looks at once, and tells when that is done. */
export async function look(one: Watch): Promise<void> {
	await new Promise<void>((resolve) => {
		one.callers.push(resolve);
		poke(one);
	});
}

/** Whether all that can be had for the items is here. */
export function isComplete({ isReady, all }: Watch): boolean {
	return isReady === true && !all.some(({ isCut }) => isCut);
}

/** Whether the items were given to n8n, which has not said that it dropped them. */
export function isHandedOver({ handedOver }: Watch): boolean {
	return handedOver !== undefined && !(handedOver.writableEnded && handedOver.statusCode >= 400);
}

/** Ends all watches of this process, as its end would. */
export function endAllWatches(): void {
	for (const one of watches.values()) end(one);
}

/** Notes that a callback came, which is looked into. */
export function noteCallback(one: Watch): void {
	one.isCalledBack = true;
	poke(one);
	lostCallbacks.delete(one.asker.crew.baseUrl);
}

/** Whether the callbacks of the crews at this base URL get lost. */
export function losesCallbacks(baseUrl: string): boolean {
	return (lostCallbacks.get(baseUrl) ?? 0) >= LOST_IN_A_ROW;
}

function poke(one: Watch): void {
	one.isPoked = true;
	one.rest.abort();
}

function end(one: Watch): void {
	if (watches.get(one.wait.waitId) === one) watches.delete(one.wait.waitId);
	letGo(one.all);
	poke(one);
	for (const tell of one.callers) tell();
}

/** Whether it is still watched. */
function isOpen(one: Watch): boolean {
	return watches.get(one.wait.waitId) === one && performance.now() < one.until;
}

/** Keeps no context over a rest. */
async function rest(one: Watch, milliseconds: number): Promise<void> {
	if (!one.isPoked) {
		one.rest = new Ending();
		await pause(milliseconds, one.rest);
	}
	one.isPoked = false;
}

async function follow(one: Watch): Promise<void> {
	while (isOpen(one) && !one.isReady) {
		await rest(one, untilNextRound(one));
		if (isOpen(one)) await lookOnce(one);
	}
	// Whoever was told just now hands over.
	await pause(0);
	await handOver(one);
	end(one);
}

async function lookOnce(one: Watch): Promise<void> {
	const callers = one.callers.splice(0);
	const isTimeUp = await askRound(one);
	if (!isOpen(one)) return;
	one.isReady = isTimeUp || one.all.every(isOver);
	for (const tell of callers) tell();
	const isCheckDue = performance.now() - one.calledAt >= CHECKED_AFTER;
	// Whoever takes the call reads the credential again, as those do who were told just now.
	const isRefused = one.schedule.isRefused && callers.length === 0;
	if (one.isReady || !(isCheckDue || isRefused)) return;
	if (isGone(one, await call(one))) end(one);
}

/** Gives the items to n8n until it has gone on, or goes on by itself. */
async function handOver(one: Watch): Promise<void> {
	let isNoted = false;
	for (let next = 0; isOpen(one); next = Math.min(LONGEST_PAUSE, 1.5 * next || 1_000)) {
		await rest(one, isHandedOver(one) ? VERIFIED_AFTER : next);
		const isQueued = isHandedOver(one) && one.handedOver?.writableEnded !== true;
		if (isQueued || !isOpen(one)) continue;
		const answer = await gatherAndCall(one);
		isNoted ||= noteEnd(one, answer);
		if (isGone(one, answer)) return;
	}
}

/** What was too much to keep is gathered for one wait after the other. */
async function gatherAndCall(one: Watch): Promise<WakeAnswer> {
	if (isComplete(one)) return await call(one);
	const { all, wait, asker } = one;
	const untilEnd = () => Math.max(0, one.endsAt - performance.now());
	const askOne: Rounds['askOne'] = async (...how) => {
		await ask(asker.crew.client, ...how);
	};
	let answer: WakeAnswer = 'unheard';
	const gather = async () => {
		const cut = () => all.filter(({ isCut }) => isCut);
		let before = Infinity;
		// A crew that gives none of them lets others have their turn.
		for (let left = cut(); left.length > 0 && left.length < before; left = cut()) {
			before = left.length;
			await askAll({ ...one, askOne }, left);
			if (untilEnd() === 0) for (const watched of left) watched.isCut = false;
		}
		if (isComplete(one)) answer = await call(one);
		if (!isHandedOver(one)) for (const watched of all) keepWithinBounds(watched, wait.isSimple);
	};
	await takeTurn(gather, pause(untilEnd()));
	return answer;
}

async function call(one: Watch): Promise<WakeAnswer> {
	one.isCalling = true;
	const answer = await wake(one.asker.context, one.resumeUrl, one.wait.waitId);
	one.isCalling = false;
	one.calledAt = performance.now();
	one.isStored ||= answer === 'ended' || answer === 'waiting';
	return answer;
}

/** Whether n8n has gone on with the execution: until it has stored it, it says that it is running, too. */
function isGone({ isStored }: Watch, answer: WakeAnswer): boolean {
	return answer === 'over' || (answer === 'running' && isStored === true);
}

/** Whether all were over without a callback in time tells how much callbacks are worth here. */
function noteEnd(one: Watch, answer: WakeAnswer): boolean {
	const { baseUrl } = one.asker.crew;
	// Another process may have taken the callback, and have ended the wait with it.
	const isHeard = one.isCalledBack === true || answer === 'over' || answer === 'running';
	const now = performance.now();
	const isLate = now - one.since >= LOST_AFTER && now < one.endsAt;
	if (isHeard) lostCallbacks.delete(baseUrl);
	else if (answer !== 'unheard' && one.wait.isCalledBack && isLate) {
		lostCallbacks.set(baseUrl, (lostCallbacks.get(baseUrl) ?? 0) + 1);
	}
	return answer !== 'unheard';
}
