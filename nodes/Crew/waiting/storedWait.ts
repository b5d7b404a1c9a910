import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import type { Awaited } from './watched';

/** What is stored with the waiting execution: all that a process needs to end the wait. */
export interface StoredWait {
	waitId: string;
	/** When the time is up, and when n8n itself ends the wait otherwise; milliseconds since the epoch. */
	endsAt: number;
	until: number;
	/** Milliseconds; absent if the crews call back and are asked beside that only. */
	pollInterval?: number;
	/** Whether the crews were told to call back. */
	isCalledBack: boolean;
	/** 0 if the node finds it out. */
	maxParallel: number;
	isSimple: boolean;
	itemCount: number;
	awaited: Awaited[];
}

const CONTEXT_KEY = 'crewWait';

/**
 * Puts the execution to wait until a call ends the wait, or `until`. At that time, n8n passes the
 * node's input on without running the node, so the input has to be what the items are then.
 */
export async function putToWait(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	wait: StoredWait,
): Promise<void> {
	context.getInputData().forEach((input, index) => {
		const { json, error } = items[index] ?? { json: {} };
		delete input.binary;
		Object.assign(input, { json, error });
	});
	// As one text: n8n hands each value on its own to what evaluates expressions.
	context.getContext('node')[CONTEXT_KEY] = JSON.stringify(wait);
	await context.putExecutionToWait(new Date(wait.until));
}

/** What {@link putToWait} stored; `undefined` if this node has put nothing to wait. */
export function readStoredWait(context: IWebhookFunctions): StoredWait | undefined {
	// In an expression a name with braces would end it.
	const asEscape = (brace: string) => `\\u00${brace.charCodeAt(0).toString(16)}`;
	const name = JSON.stringify(context.getNode().name).replace(/[{}]/g, asEscape);
	const text = context.evaluateExpression(`{{ $node[${name}].context.${CONTEXT_KEY} }}`);
	return typeof text === 'string' ? (JSON.parse(text) as StoredWait) : undefined;
}
