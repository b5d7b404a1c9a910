import type { INodeProperties } from 'n8n-workflow';
import { readExecution } from '../model/execution';
import type { Operation } from './operation';
import { readId } from './parameters';
import { runItems } from './runItems';
import { kickoffIdField, maxParallelOption, optionsField } from './sharedFields';

const fields: INodeProperties[] = [
	kickoffIdField('getStatus', 'stop'),
	optionsField('getStatus', [
		maxParallelOption,
		{
			displayName: 'Simplify',
			name: 'simplify',
			type: 'boolean',
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
		},
	]),
];

/** Where an execution stands, in the same words for every deployment. */
export const getStatus: Operation = {
	fields,
	execute: async (context, { client }) =>
		await runItems(context, async (itemIndex) => {
			const kickoffId = readId(context, 'kickoffId', 'Kickoff ID', itemIndex);
			const response = await client.getStatus(kickoffId);
			const isSimple = context.getNodeParameter('options.simplify', itemIndex, true) as boolean;
			return {
				kickoff_id: kickoffId,
				...readExecution(response),
				...(isSimple ? {} : { response }),
			};
		}),
};
