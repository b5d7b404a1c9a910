import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import type { Awaited } from './watched';

/** What is stored with the waiting execution: everything that a process needs to end the wait. */
export interface StoredWait {
	waitId: string;
	/** When the time is up, and when n8n itself ends the wait otherwise; milliseconds since the epoch. */
	endsAt: number;
	until: number;
	/** Milliseconds; absent if the crews call back and are checked only in addition. */
	pollInterval?: number;
	/** 0 lets the node find out. */
	maxParallel: number;
	isSimple: boolean;
	awaited: Awaited[];
}

const CONTEXT_KEY = 'crewWait';

/**
 * Makes the execution wait until a call ends the wait, or until `until`. At that time, n8n passes on
 * the node's input without running the node, so the input must be the items for that case.
 */
export async function putToWait(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	wait: StoredWait,
): Promise<void> {
	const inputs = context.getInputData();
	inputs.forEach((input, index) => {
		const { json, error } = items[index] ?? { json: {} };
		delete input.binary;
		Object.assign(input, { json, error });
	});
	// With Execute Once, n8n has stored more items than the node got, and would pass those on, too.
	context.getExecuteData().data.main = [inputs];
	// As one text, since n8n passes each value separately to its expression engine.
	context.getContext('node')[CONTEXT_KEY] = JSON.stringify(wait);
	await context.putExecutionToWait(new Date(wait.until));
}

/** What {@link putToWait} stored; `undefined` if this node is not waiting. */
export function readStoredWait(context: IWebhookFunctions): StoredWait | undefined {
	const quoted = JSON.stringify(context.getNode().name);
	// Braces in a name would end the expression.
	const name = quoted.replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	const text = context.evaluateExpression(`{{ $node[${name}].context.${CONTEXT_KEY} }}`);
	return typeof text === 'string' ? (JSON.parse(text) as StoredWait) : undefined;
}
