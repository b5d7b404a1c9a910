import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isRecord, own } from '../model/json';
import { isOver, type Watched } from './watch';

/** What the node keeps with the parked execution for the callbacks that come. */
export interface ParkedWait extends IDataObject {
	waitId: string;
	/** By item; `null` for items that are not waited for any more. */
	kickoffIds: Array<string | null>;
	/** Task ID and output of the question that a resume has answered, by item. */
	answered: Array<{ taskId: string; taskOutput?: IDataObject[string] } | null>;
	/** When the crews were kicked off, in milliseconds since the epoch. */
	since: number;
	maxParallel: number;
	isSimple: boolean;
}

const CONTEXT_KEY = 'parkedWait';

/**
 * Parks the execution until a callback ends the wait, or `until`. When that time comes n8n hands the
 * node's input on without running the node: so the input is what the items shall be then.
 */
export async function park(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	wait: ParkedWait,
	until: Date,
): Promise<void> {
	context.getInputData().forEach((input, index) => {
		const { json, error } = items[index] ?? { json: {} };
		delete input.binary;
		Object.assign(input, { json, error });
	});
	context.getContext('node')[CONTEXT_KEY] = wait;
	await context.putExecutionToWait(until);
}

/**
 * What n8n shows of the node while its execution is parked; only that. An item with `error` among
 * them would make Retry On Fail run the node again, which cannot be parked twice.
 */
export function parkedItems(watched: readonly Watched[]): INodeExecutionData[] {
	return watched
		.filter((one) => !isOver(one))
		.map(({ itemIndex, kickoffId, base }) => ({
			json: { kickoff_id: kickoffId, ...base, status: 'running' },
			pairedItem: { item: itemIndex },
		}));
}

/** What {@link park} kept, from the node's context as n8n stored it; `undefined` for anything else. */
export function readParkedWait(nodeContext: unknown): ParkedWait | undefined {
	const wait = own(nodeContext, CONTEXT_KEY);
	return isRecord(wait) && Array.isArray(wait.kickoffIds) ? (wait as ParkedWait) : undefined;
}

/** What is worth keeping of the executions that are waited for. */
export function describeWait(
	watched: readonly Watched[],
	itemCount: number,
): Pick<ParkedWait, 'answered' | 'kickoffIds' | 'since'> {
	const open = new Map(watched.filter((one) => !isOver(one)).map((one) => [one.itemIndex, one]));
	const indexes = Array.from({ length: itemCount }, (_, index) => open.get(index));
	return {
		kickoffIds: indexes.map((one) => one?.kickoffId ?? null),
		answered: indexes.map((one) => one?.answered ?? null),
		since: watched.reduce((first, { since }) => Math.min(first, since), Infinity),
	};
}
