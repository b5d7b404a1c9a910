import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { isRecord, own, type JsonRecord } from '../model/json';
import { readJsonObject } from './parameters';

export const metaOptions: INodeProperties[] = [
	{
		displayName: 'Include Workflow Details',
		name: 'n8nMeta',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the workflow, execution, node and item to meta as n8n, so that you can trace every callback',
	},
	{
		displayName: 'Meta',
		name: 'meta',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"customer": 42}',
		description: 'A JSON object that the crew sends back in every callback',
	},
];

/** What the crew is to echo in every callback: the user's own object, and where it was kicked off. */
export function readMeta(context: IExecuteFunctions, itemIndex: number): JsonRecord {
	const meta = readJsonObject(context, 'options.meta', 'Meta', itemIndex);
	if (context.getNodeParameter('options.n8nMeta', itemIndex, true) === false) return meta;
	const { id, name } = context.getWorkflow();
	const origin = {
		workflow: { id, name },
		execution: context.getExecutionId(),
		node: context.getNode().name,
		item: itemIndex,
	};
	const theirs = own(meta, 'n8n');
	return { ...meta, n8n: isRecord(theirs) ? { ...origin, ...theirs } : (theirs ?? origin) };
}
