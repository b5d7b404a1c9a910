import { NodeOperationError, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
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

/**
 * The callback fields of the request for one item: those that the user chose, and those that wake
 * the parked execution.
 *
 * @throws NodeOperationError where the crew would have to call two places for the same
 */
export function readCallbacks(
	context: IExecuteFunctions,
	itemIndex: number,
	waking: CallbackFields,
): CallbackFields {
	const chosen = readChosen(context, itemIndex);
	const twice = Object.keys(chosen).filter((name) => name in waking);
	if (twice.length > 0) {
		throw new NodeOperationError(
			context.getNode(),
			`The crew can call only one place for ${twice.join(', ')}, and that is this waiting node`,
			{
				itemIndex,
				description:
					'Remove it from the callbacks of this node, or set "Wait for the Crew" to "No" or "By Polling". Nothing was sent for this item.',
			},
		);
	}
	return { ...chosen, ...waking };
}

function readChosen(context: IExecuteFunctions, itemIndex: number): CallbackFields {
	const choice = context.getNodeParameter('callbacks', itemIndex, 'none') as string;
	return choice === 'custom' ? readCustomUrls(context, itemIndex) : {};
}
