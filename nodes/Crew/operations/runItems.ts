import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { toNodeError, type CrewNodeError } from './nodeError';
import { readAhead } from './readAhead';

const DEFAULT_PARALLEL = 10;

/** What came of one item; `failed` is the error item where the node is set to go on. */
export type Outcome<T> =
	{ done: T; failed?: undefined } | { done?: undefined; failed: INodeExecutionData };

/**
 * Runs `work` for each input item, up to `options.maxParallel` at once, and gives the outcomes in the
 * input's order.
 *
 * @param read what `work` needs of the item's parameters: see {@link readAhead}
 * @throws the first item's error, by order, where the node is to stop on errors: after the requests
 * under way have ended, and without beginning further items. Nor are items begun once the execution
 * is cancelled: they come out as failed
 */
export async function forEachItem<R, T>(
	context: IExecuteFunctions,
	read: (itemIndex: number) => R,
	work: (read: R, itemIndex: number) => Promise<T>,
): Promise<Array<Outcome<T>>> {
	const { length } = context.getInputData();
	const outcomes: Array<Outcome<T>> = Array.from({ length });
	const errors: Array<CrewNodeError | undefined> = [];
	const fail = (itemIndex: number, cause: unknown) => {
		const error = toNodeError(context.getNode(), cause, itemIndex);
		if (context.continueOnFail())
			outcomes[itemIndex] = { failed: errorItem(context, error, itemIndex) };
		else errors[itemIndex] = error;
	};
	const isCancelled = () => context.getExecutionCancelSignal()?.aborted === true;
	const readItem = (itemIndex: number) =>
		errors.length > 0 || isCancelled() ? undefined : attempt(() => read(itemIndex));
	await readAhead(length, readMaxParallel(context), readItem, async (itemIndex, item) => {
		if (errors.length > 0) return;
		if (!item || isCancelled()) {
			outcomes[itemIndex] = { failed: cancelledItem(context, itemIndex) };
		} else if ('cause' in item) {
			fail(itemIndex, item.cause);
		} else {
			try {
				outcomes[itemIndex] = { done: await work(item.value, itemIndex) };
			} catch (cause) {
				fail(itemIndex, cause);
			}
		}
	});
	const first = errors.find((error) => error !== undefined);
	if (first) throw first;
	return outcomes;
}

function attempt<R>(read: () => R): { value: R } | { cause: unknown } {
	try {
		return { value: read() };
	} catch (cause) {
		return { cause };
	}
}

/**
 * Runs an operation for each input item and gives its output items, each linked to its input item;
 * see {@link forEachItem}.
 */
export async function runItems(
	context: IExecuteFunctions,
	run: (itemIndex: number) => Promise<IDataObject | IDataObject[]>,
): Promise<INodeExecutionData[]> {
	const outcomes = await forEachItem(
		context,
		(itemIndex) => itemIndex,
		async (itemIndex) => await run(itemIndex),
	);
	return outcomes.flatMap((outcome, item) =>
		outcome.failed
			? [outcome.failed]
			: [outcome.done].flat().map((json) => ({ json, pairedItem: { item } })),
	);
}

/** Nobody sees this item: n8n has ended the execution. */
function cancelledItem(context: IExecuteFunctions, itemIndex: number): INodeExecutionData {
	const message = 'The execution was cancelled before this item was begun';
	return errorItem(context, new NodeOperationError(context.getNode(), message), itemIndex);
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

/** `options.maxParallel`; values below one or without a number mean the default. */
export function readMaxParallel(context: IExecuteFunctions): number {
	const value = Number(context.getNodeParameter('options.maxParallel', 0, DEFAULT_PARALLEL));
	return value >= 1 ? Math.floor(value) : DEFAULT_PARALLEL;
}
