import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import { callbackUrlsField, readCustomUrls } from './customUrls';

/** The fields about callbacks that Kickoff and Resume share. */
export const callbackFields: INodeProperties[] = [
	{
		displayName: 'Callbacks',
		name: 'callbacks',
		type: 'options',
		default: 'none',
		description: 'Who is told how the crew gets on',
		displayOptions: { show: { operation: ['kickoff', 'resume'] } },
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'The crew tells nobody: read its status when you need it',
			},
			{
				name: 'Own URLs',
				value: 'custom',
				description: 'The crew calls the URLs that you enter',
			},
		],
	},
	callbackUrlsField,
];

/** The callback fields of the request for one item. */
export function readCallbacks(context: IExecuteFunctions, itemIndex: number): CallbackFields {
	const chosen = context.getNodeParameter('callbacks', itemIndex, 'none') as string;
	return chosen === 'custom' ? readCustomUrls(context, itemIndex) : {};
}
