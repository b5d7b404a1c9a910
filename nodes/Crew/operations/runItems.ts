import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { PacedCrew } from '../n8n/connect';
import type { CrewRequest } from '../api/exchange';
import { forEachLimited } from '../api/forEachLimited';
import { WasNotSent } from '../api/pacer';
import { pause } from '../api/pause';
import { Item, type ItemOutcome } from '../n8n/item';
import { toNodeError, type CrewNodeError } from '../n8n/nodeError';

/** How many items are read ahead for each that may be running: enough if the limit rises by half. */
const MOST_AHEAD = 1.5;

/**
 * Works on each input item, as many at once as the crew is sent requests, and gives the outcomes in the
 * input's order.
 *
 * @param method of the requests
 * @param prepare reads the item's parameters, ahead of its turn (see {@link readAhead}), and gives its work
 * @param hasBegun whether an earlier try of Retry On Fail has begun with an item
 * @throws the first item's error, by order, if the node is to stop on errors: after the requests
 * under way have ended, and without beginning further items. Nor are items begun once the execution
 * is cancelled: they come out as failed
 */
export async function forEachItem<T>(
	context: IExecuteFunctions,
	{ pacer }: PacedCrew,
	method: CrewRequest['method'],
	prepare: (item: Item) => () => Promise<T>,
	hasBegun: (itemIndex: number) => boolean = () => false,
): Promise<Array<ItemOutcome<T>>> {
	const outcomes: Array<ItemOutcome<T>> = [];
	const errors: Array<CrewNodeError | undefined> = [];
	const isCancelled = () => context.getExecutionCancelSignal()?.aborted === true;
	const isLeftOut = (itemIndex: number) => isCancelled() && !hasBegun(itemIndex);
	const read = (itemIndex: number): (() => Promise<T>) | undefined => {
		if (errors.length > 0 || isLeftOut(itemIndex)) return undefined;
		try {
			return prepare(new Item(context, itemIndex));
		} catch (cause) {
			return async () => await Promise.reject(toNodeError(context.getNode(), cause, itemIndex));
		}
	};
	const workOn = async (itemIndex: number, work: ReturnType<typeof read>) => {
		if (errors.length > 0) return;
		try {
			if (!work || isLeftOut(itemIndex)) throw new WasNotSent();
			outcomes[itemIndex] = { done: await work() };
		} catch (cause) {
			const error = toNodeError(context.getNode(), cause, itemIndex);
			// Nobody sees the error of a request that was not sent: n8n has ended the execution, or ends it on
			// another item. After a cancellation, crews of other items may still have to be stopped.
			if (context.continueOnFail() || cause instanceof WasNotSent || isCancelled()) {
				outcomes[itemIndex] = { failed: errorItem(context, error, itemIndex) };
			} else {
				errors[itemIndex] = error;
				pacer.cancel();
			}
		}
	};
	await readAhead(context.getInputData().length, () => pacer.limit(method), read, workOn);
	const first = errors.find((error) => error !== undefined);
	if (first) throw first;
	return outcomes;
}

/** Runs an operation for each input item and gives its output items, each linked to its input item; see {@link forEachItem}. */
export async function runItems(
	context: IExecuteFunctions,
	crew: PacedCrew,
	method: CrewRequest['method'],
	run: (item: Item) => Promise<IDataObject | IDataObject[]>,
): Promise<INodeExecutionData[]> {
	const outcomes = await forEachItem(context, crew, method, (item) => async () => await run(item));
	return outcomes.flatMap((outcome, item) =>
		outcome.failed
			? [outcome.failed]
			: [outcome.done].flat().map((json) => ({ json, pairedItem: { item } })),
	);
}

/**
 * The item for one that failed. With `error` n8n sends it to the error output, and leaves nothing of
 * its content but the message: without an error output it has none.
 */
export function errorItem(
	context: IExecuteFunctions,
	error: CrewNodeError,
	itemIndex: number,
	content: IDataObject = {},
): INodeExecutionData {
	const { message, description } = error;
	const details = typeof description === 'string' ? { details: description } : {};
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	return {
		json: { error: message, ...details, ...content },
		...(hasErrorOutput ? { error } : {}),
		pairedItem: { item: itemIndex },
	};
}

/**
 * Runs `work` for each index below `count`, in order, with up to `limit()` under way at the same time.
 * While those wait for their answers, `read` is called for half as many again: n8n evaluates expressions
 * in this one thread, about a millisecond each. Nor do several begin together, when others were answered
 * together or the limit has risen: each time, all would wait for what n8n does for each.
 *
 * @param limit may change from call to call, and is never below one
 * @param read may be called for indexes whose work then has nothing to do; must not throw
 * @param work must not reject
 */
export async function readAhead<T>(
	count: number,
	limit: () => number,
	read: (index: number) => T,
	work: (index: number, read: T) => Promise<void>,
): Promise<void> {
	/** Each index below `count` in order, read once: when it is taken, or before that. */
	const ahead: Array<{ index: number; value: T }> = [];
	let [next, taken] = [0, 0];
	let isReading = false;
	const readNext = () => ({ index: next, value: read(next++) });
	const isWanted = () => next < count && ahead.length < Math.floor(limit() * MOST_AHEAD);
	/** Reads in turns of the event loop in which nothing is taken: what is taken then has to get out first. */
	const readOn = async () => {
		if (isReading) return;
		isReading = true;
		while (isWanted()) {
			const before = taken;
			await pause(0);
			if (taken === before && isWanted()) ahead.push(readNext());
		}
		isReading = false;
	};
	let lastTurn = Promise.resolve();
	/** Lets one through at a time, each in another turn of the event loop. */
	const takeTurn = async () => {
		const turn = lastTurn;
		lastTurn = turn.then(() => pause(0));
		await turn;
	};
	await forEachLimited(Array.from({ length: count }), limit, async () => {
		await takeTurn();
		const { index, value } = ahead.shift() ?? readNext();
		taken++;
		const underWay = work(index, value);
		void readOn();
		await underWay;
	});
}
