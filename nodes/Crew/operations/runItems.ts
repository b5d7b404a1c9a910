import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError, type CrewNodeError } from './nodeError';

const DEFAULT_PARALLEL = 10;

/** Does an operation's work for one input item and gives the output items' content. */
export type RunItem = (itemIndex: number) => Promise<IDataObject | IDataObject[]>;

/**
 * Runs an operation for each input item, up to `options.maxParallel` at once. Output items come in
 * the input's order, each linked to its input item. With Continue On Fail or an error output, an item
 * that did not succeed comes out as an error item.
 *
 * @throws the first item's error, by order, after the requests under way have ended; no further items
 * are begun then
 */
export async function runItems(
	context: IExecuteFunctions,
	run: RunItem,
): Promise<INodeExecutionData[]> {
	const { length } = context.getInputData();
	const results: INodeExecutionData[][] = Array.from({ length });
	const failures: CrewNodeError[] = [];
	let next = 0;
	const work = async () => {
		while (next < length && failures.length === 0) {
			const itemIndex = next++;
			results[itemIndex] = await runOne(context, run, itemIndex, failures);
		}
	};
	await Promise.all(Array.from({ length: Math.min(maxParallel(context), length) }, work));
	const [first] = failures.sort((a, b) => itemOf(a) - itemOf(b));
	if (first) throw first;
	return results.flat();
}

async function runOne(
	context: IExecuteFunctions,
	run: RunItem,
	itemIndex: number,
	failures: CrewNodeError[],
): Promise<INodeExecutionData[]> {
	const pairedItem = { item: itemIndex };
	try {
		const result = await run(itemIndex);
		return (Array.isArray(result) ? result : [result]).map((json) => ({ json, pairedItem }));
	} catch (cause) {
		const error = toNodeError(context.getNode(), cause, itemIndex);
		if (context.continueOnFail()) return [errorItem(error, itemIndex)];
		failures.push(error);
		return [];
	}
}

/** n8n sends an item with `error` to the error output, and its content on where there is none. */
function errorItem(error: CrewNodeError, itemIndex: number): INodeExecutionData {
	const { message, description } = error;
	const details = typeof description === 'string' ? { details: description } : {};
	return { json: { error: message, ...details }, error, pairedItem: { item: itemIndex } };
}

function itemOf(error: CrewNodeError): number {
	return Number(error.context.itemIndex ?? 0);
}

/** Values below one or without a number mean the default. */
function maxParallel(context: IExecuteFunctions): number {
	const value = Number(context.getNodeParameter('options.maxParallel', 0, DEFAULT_PARALLEL));
	return value >= 1 ? Math.floor(value) : DEFAULT_PARALLEL;
}
