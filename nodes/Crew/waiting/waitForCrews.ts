import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { paced, type PacedCrew } from '../n8n/connect';
import type { ItemOutcome } from '../n8n/item';
import { hint } from '../n8n/versions';
import { pause } from '../api/pause';
import { startPolling } from './backgroundPoller';
import { HINTS, respondsTooEarly } from './hints';
import { Polling } from './polling';
import { putToWait } from './storedWait';
import { canWake } from './wake';
import { isOver, isRefused, MOST_REFUSALS, type Watched } from './watched';
import { deadlineOf, type Notice, type WaitSettings } from './waitSettings';

/** How to wait for the executions of this run. */
export interface Waiting extends Notice {
	settings: WaitSettings;
	/** What wakes the execution. */
	resumeUrl: string;
	waitId: string;
}

/**
 * Waits until all executions have settled or the time is up. The execution waits in n8n's database if
 * n8n can be woken; otherwise, it is kept running.
 *
 * @param outcomes one per input item: the execution to wait for, or its finished item
 * @param finish turns a settled, failed or timed out execution into its item
 * @returns the items in the input's order; if the execution waits, the items to show meanwhile
 */
export async function waitForCrews(
	context: IExecuteFunctions,
	crew: PacedCrew,
	outcomes: ReadonlyArray<ItemOutcome<Watched>>,
	waiting: Waiting,
	finish: (watched: Watched) => INodeExecutionData,
): Promise<INodeExecutionData[]> {
	const open = outcomes.flatMap(({ done }) => (done && !isOver(done) ? done : []));
	const assemble = () => outcomes.map(({ done, failed }) => failed ?? finish(done));
	const { settings, isCalledBack, isPolled, resumeUrl, waitId } = waiting;
	const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
	if (open.length === 0 || (settings.limit === 0 && !isCancelled)) return assemble();
	if (settings.isHeld || isCancelled || !(await canWait(context, waiting))) {
		await hold(context, crew, open, settings);
		return assemble();
	}
	const wait = {
		...deadlineOf(settings, isCalledBack, open.length),
		pollInterval: isPolled ? settings.pollInterval : undefined,
		...{ waitId, maxParallel: crew.maxParallel, isSimple: settings.isSimple },
		awaited: open.map(({ itemIndex, kickoffId, since, answered }) => {
			return { itemIndex, kickoffId, since, answered };
		}),
	};
	await putToWait(context, assemble(), wait);
	startPolling(context, crew, wait, resumeUrl);
	return open.map(waitingItem);
}

/** Whether something is sure to end the wait before its limit. */
async function canWait(
	context: IExecuteFunctions,
	{ isCalledBack, isPolled, resumeUrl }: Waiting,
): Promise<boolean> {
	const isAwake = await canWake(context, resumeUrl);
	const isSure = isAwake || (isCalledBack && !isPolled);
	if (!isAwake) hint(context, isSure ? HINTS.callbacksOnly : HINTS.held);
	if (isSure && !isCalledBack) hint(context, HINTS.polledOnly);
	if (isSure && respondsTooEarly(context)) hint(context, HINTS.respondsTooEarly);
	return isSure;
}

/**
 * What n8n shows for the node while its execution waits. It has no `error`, which would make Retry On
 * Fail run the node again, and a node cannot wait twice.
 */
export function waitingItem({ itemIndex, kickoffId, base }: Watched): INodeExecutionData {
	const json = { kickoff_id: kickoffId, ...base, status: 'running' };
	return { json, pairedItem: { item: itemIndex } };
}

/** Keeps the execution running and asks its crews until all are over, the time is up or it is cancelled. */
async function hold(
	context: IExecuteFunctions,
	crew: PacedCrew,
	all: Watched[],
	settings: WaitSettings,
): Promise<void> {
	const asker = { context, crew, answeredAt: -Infinity };
	const deadline = { ...deadlineOf(settings, true, all.length), until: Infinity };
	const polling = new Polling(asker, all, { ...deadline, pollInterval: settings.pollInterval });
	const signal = context.getExecutionCancelSignal();
	const isCancelled = () => signal?.aborted === true;
	while (!polling.isDone && !isCancelled()) {
		await pause(polling.untilNextPoll, signal);
		if (!isCancelled()) await polling.poll();
		// Nobody can change the credential of a running execution.
		const isFinal = ({ refusals = 0 }: Watched) => polling.isDone || refusals >= MOST_REFUSALS;
		for (const one of all) one.isLost ||= isRefused(one) && isFinal(one);
	}
	if (isCancelled() && settings.stopOnCancel) await stopAll(context, crew, all);
}

/** Stops all crews. The execution is already cancelled, so a failure can only be logged. */
async function stopAll(context: IExecuteFunctions, crew: PacedCrew, all: Watched[]): Promise<void> {
	// The cancelled client sends nothing more.
	const { client } = paced(context, crew, crew.maxParallel);
	const stop = async ({ kickoffId }: Watched) => {
		await client.stop(kickoffId).catch((error: unknown) => {
			const { message: reason } = error as Error;
			const details = { kickoffId, reason };
			context.logger.warn('The crew of a cancelled execution could not be stopped', details);
		});
	};
	await Promise.all(all.filter(({ execution }) => !execution).map(stop));
}
