import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { KickoffBody } from '../api/client';
import { callbackFields, readCallbacks } from '../callbacks/chosenCallbacks';
import { inputFields, readInputValues } from './kickoffInputs';
import type { Operation } from './operation';
import { readJsonObject } from './parameters';
import { runItems } from './runItems';
import { maxParallelOption, optionsField } from './sharedFields';

const fields: INodeProperties[] = [
	...inputFields,
	...callbackFields,
	optionsField('kickoff', [
		maxParallelOption,
		{
			displayName: 'Meta',
			name: 'meta',
			type: 'json',
			default: '{}',
			placeholder: 'e.g. {"customer": 42}',
			description: 'A JSON object that the crew sends back in every callback',
		},
	]),
];

/** Starts an execution of the crew for each item. */
export const kickoff: Operation = {
	fields,
	execute: async (context, { client }) =>
		await runItems(context, async (itemIndex) => {
			const { kickoffId } = await client.kickoff(readBody(context, itemIndex));
			return { kickoff_id: kickoffId, status: 'started' };
		}),
};

function readBody(context: IExecuteFunctions, itemIndex: number): KickoffBody {
	const meta = readJsonObject(context, 'options.meta', 'Meta', itemIndex);
	return {
		inputs: readInputValues(context, itemIndex),
		...(Object.keys(meta).length > 0 ? { meta } : {}),
		...readCallbacks(context, itemIndex),
	};
}
