import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Crew } from '../api/connect';
import { forEachLimited } from '../api/forEachLimited';
import { lookBeforeParking } from './look';
import { describeWait, park, parkedItems } from './park';
import { poll } from './poll';
import type { WaitSettings } from './waitFields';
import { wakeUpOnce } from './wakeUp';
import { isOver, type Watched } from './watch';

/** How the executions of this run are waited for. */
export interface Waiting {
	settings: WaitSettings;
	maxParallel: number;
	isSimple: boolean;
	/** With `callback`: what the crews were told to call. */
	resumeUrl?: string;
	waitId?: string;
}

/** One input item's place: the execution that it waits for, or the item it has come to already. */
export type Slot =
	{ watched: Watched; item?: undefined } | { watched?: undefined; item: INodeExecutionData };

/** Turns a settled, failed or timed out execution into its item. */
export type Finish = (watched: Watched) => INodeExecutionData;

/**
 * Waits until all executions have settled or the time is up, the way that the settings say.
 *
 * @param slots one per input item
 * @returns the items in the input's order; where the execution was parked, those that it waits for
 */
export async function waitForCrews(
	context: IExecuteFunctions,
	crew: Crew,
	slots: readonly Slot[],
	waiting: Waiting,
	finish: Finish,
): Promise<INodeExecutionData[]> {
	const watched = slots.flatMap((slot) => slot.watched ?? []);
	const assemble = () => slots.map((slot) => slot.item ?? finish(slot.watched));
	const abortSignal = context.getExecutionCancelSignal();
	const { settings, maxParallel, isSimple } = waiting;
	if (settings.mode === 'polling') {
		await poll(crew.client, watched, { ...settings, maxParallel, abortSignal });
		if (abortSignal?.aborted && settings.stopOnCancel) {
			await stopAll(context, crew, watched, maxParallel);
		}
		return assemble();
	}
	const { deadline } = settings;
	const lookTime = Math.min(settings.lookTime, deadline.getTime() - Date.now());
	const lookAfter = lookAfterParking(watched, settings);
	if (lookAfter === undefined) {
		await lookBeforeParking(crew.client, watched, { lookTime, maxParallel, abortSignal });
	}
	const items = assemble();
	const isTimeUp = deadline.getTime() <= Date.now();
	if (watched.every(isOver) || isTimeUp || abortSignal?.aborted) return items;
	const { resumeUrl = '', waitId = '' } = waiting;
	const description = describeWait(watched, slots.length);
	await park(context, items, { ...description, waitId, maxParallel, isSimple }, deadline);
	void wakeUpOnce(context, { resumeUrl, waitId, lookAfter });
	return parkedItems(watched);
}

/**
 * When to look at a single execution: milliseconds from now. It is parked at once, and one look does
 * for quick crews as for those that ended while it was being parked: three requests in all. Several
 * are looked at before, since the results of those that have ended are worth keeping until the limit.
 *
 * @returns `undefined` where the look comes before parking: for several, or where the limit is that near
 */
function lookAfterParking(
	watched: readonly Watched[],
	{ deadline, lookTime }: WaitSettings,
): number | undefined {
	const [one] = watched;
	if (one === undefined || watched.length > 1) return undefined;
	return one.since + lookTime < deadline.getTime() ? one.since + lookTime - Date.now() : undefined;
}

/** The execution is cancelled already: that a crew could not be stopped can only be logged. */
async function stopAll(
	{ logger }: IExecuteFunctions,
	{ client }: Crew,
	watched: readonly Watched[],
	limit: number,
): Promise<void> {
	const open = watched.filter((one) => !isOver(one));
	await forEachLimited(open, limit, async ({ kickoffId }) => {
		try {
			await client.stop(kickoffId);
		} catch (error) {
			const reason = (error as Error).message;
			logger.warn('The crew of a cancelled execution could not be stopped', { kickoffId, reason });
		}
	});
}
