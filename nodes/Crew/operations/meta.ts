import type { INodeProperties } from 'n8n-workflow';
import { isRecord, own, type JsonRecord } from '../model/json';
import type { Item } from '../n8n/item';

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
export function readMeta(item: Item): JsonRecord {
	const meta = item.readJsonObject('options.meta', 'Meta');
	if (item.read('options.n8nMeta', true) === false) return meta;
	const { context, index } = item;
	const { id, name } = context.getWorkflow();
	const origin = {
		workflow: { id, name },
		execution: context.getExecutionId(),
		node: context.getNode().name,
		item: index,
	};
	const theirs = own(meta, 'n8n');
	return { ...meta, n8n: isRecord(theirs) ? { ...origin, ...theirs } : (theirs ?? origin) };
}
