import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { inLane, type Crew } from '../api/connect';
import { Ending, pause } from '../api/pause';
import { forget } from './memory';
import { askInRounds, besideCallbacks, pollingPace, type Rounds } from './rounds';
import type { StoredWait } from './storedWait';
import { askingTime, wake, type WakeAnswer } from './wake';

/** Milliseconds for which an execution may be running before it waits, or again after it. */
const RUNNING_TIME = 60_000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds beyond the asking that n8n may take to answer a call of its own. */
const ANSWER_TIME = 20_000;
/** Milliseconds after its start at which a wait that no callback has ended has lost them. */
const LOST_AFTER = 120_000;
/** How many waits in a row have to lose their callbacks. */
const LOST_IN_A_ROW = 2;

type Context = IExecuteFunctions | IWebhookFunctions;

/** How the crews at one base URL are asked with one token, for all waits on them. */
interface Watcher {
	/** The base URL and the token. */
	key: string;
	/** That of the newest wait: n8n keeps the data of its run in memory as long. */
	context: Context;
	/** Asked through that context. */
	crew: Crew;
	waits: Set<Watch>;
}

/** One wait that this process watches. It is kept for hours: no context, no items. */
interface Watch {
	watcher: Watcher;
	resumeUrl: string;
	wait: StoredWait;
	rounds: Rounds;
	since: number;
	ending: Ending;
}

const watchers = new Map<string, Watcher>();
/** By the ID of the wait. */
const watches = new Map<string, Watch>();
/** How many waits in a row have lost their callbacks, by base URL. */
const lostCallbacks = new Map<string, number>();

/**
 * Asks the crews of a waiting execution, directly and beside whatever else happens, and calls its
 * resume URL when all are over, when they refuse the credential, and when the time is up. Goes on
 * with another context where the wait is watched already.
 *
 * @param isAnew whether to begin again with the first question
 */
export function watch(
	context: Context,
	crew: Crew,
	wait: StoredWait,
	resumeUrl: string,
	isAnew = false,
): void {
	const key = JSON.stringify([crew.baseUrl, crew.credential.accessToken]);
	const newest = inLane(context, crew);
	const watcher = watchers.get(key) ?? { key, context, crew: newest, waits: new Set<Watch>() };
	watchers.set(key, Object.assign(watcher, { context }));
	Object.assign(watcher.crew, newest);
	const before = watches.get(wait.waitId);
	if (before?.watcher === watcher && !isAnew) return;
	const since = before?.since ?? Date.now();
	const one = { watcher, resumeUrl, wait, rounds: roundsOf(wait), since, ending: new Ending() };
	watcher.waits.add(one);
	watches.set(wait.waitId, one);
	if (before) end(before);
	void follow(one).catch(() => undefined);
}

/** The crew that this process asks for a wait, with the credential as it was read last. */
export function crewOf(waitId: string): Crew | undefined {
	return watches.get(waitId)?.watcher.crew;
}

/** Ends the watch of a wait that is over. */
export function endWatch(waitId: string): void {
	const one = watches.get(waitId);
	if (one) end(one);
}

/** Ends all watches of this process, as its end would. */
export function endAllWatches(): void {
	for (const one of watches.values()) end(one);
}

/** Notes that a callback has ended a wait on the crews at this base URL. */
export function noteCallback(baseUrl: string): void {
	lostCallbacks.delete(baseUrl);
}

/** Whether the callbacks of the crews at this base URL get lost. */
export function losesCallbacks(baseUrl: string): boolean {
	return (lostCallbacks.get(baseUrl) ?? 0) >= LOST_IN_A_ROW;
}

function roundsOf({ awaited, pollInterval, endsAt, maxParallel }: StoredWait): Rounds {
	const pace = pollInterval === undefined ? besideCallbacks : pollingPace(pollInterval);
	const open = awaited.map((one) => ({ ...one, base: {} }));
	return { open, pace, count: 0, endsAt, maxParallel, keepsAnswers: false };
}

function end(one: Watch): void {
	one.ending.abort();
	const { watcher, wait } = one;
	watcher.waits.delete(one);
	if (watcher.waits.size === 0 && watchers.get(watcher.key) === watcher) {
		watchers.delete(watcher.key);
	}
	if (watches.get(wait.waitId) !== one) return;
	watches.delete(wait.waitId);
	forget(wait.waitId);
}

/** Keeps no context over a pause. */
async function follow(one: Watch): Promise<void> {
	const { rounds, wait, ending, watcher } = one;
	while (Date.now() < wait.until) {
		const outcome = await askInRounds(rounds, watcher.crew, ending);
		if (outcome === 'aborted') return;
		const answer = await wakeUntilHeard(one);
		if (outcome === 'over') noteEnd(one, answer);
		if (answer !== 'waiting') break;
		if (ending.aborted) return;
		// The process that took the call asks with the credential as it is now.
		if (outcome === 'refused') rounds.pace = besideCallbacks;
		// Its clock may be behind ours.
		if (outcome === 'time is up') rounds.endsAt = Date.now() + 5_000;
		rounds.open = roundsOf(wait).open;
		rounds.count++;
	}
	end(one);
}

async function wakeUntilHeard({ resumeUrl, wait, ending, watcher }: Watch): Promise<WakeAnswer> {
	const { waitId, until } = wait;
	const runningUntil = Date.now() + RUNNING_TIME;
	const timeout = askingTime(wait) + ANSWER_TIME;
	for (let next = 1_000; !ending.aborted; next = Math.min(LONGEST_PAUSE, next * 2)) {
		const answer = await wake(watcher.context, { resumeUrl, waitId }, timeout);
		const isRunning = answer === 'running';
		if (!isRunning && answer !== 'unheard') return answer;
		if (Date.now() >= (isRunning ? runningUntil : until)) break;
		await pause(isRunning ? 1_000 : next, ending);
	}
	return 'over';
}

/** Whether all were over without a callback in time tells how much callbacks are worth here. */
function noteEnd({ watcher, wait, since }: Watch, answer: WakeAnswer): void {
	const { baseUrl } = watcher.crew;
	if (!wait.isCalledBack) return;
	if (answer === 'over') noteCallback(baseUrl);
	if (answer !== 'ended' || Date.now() - since < LOST_AFTER) return;
	lostCallbacks.set(baseUrl, (lostCallbacks.get(baseUrl) ?? 0) + 1);
}
