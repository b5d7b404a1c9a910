import type { INodeProperties } from 'n8n-workflow';
import { eventTypeOptions, kindOptions } from './eventTypes';

/** The fields of the trigger's panel. */
export const triggerFields: INodeProperties[] = [
	{
		displayName:
			"In the Crew node, choose 'To a Crew Trigger' under 'Callbacks' and paste the production URL of this trigger, or its test URL while you build. It adds the kind of callback by itself. Other senders add the kind to the URL, e.g. ?callback=crew.",
		name: 'urlNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName:
			'Without a callback secret in the credential, anybody who knows the URL can start this workflow. Use the same secret here and in the Crew node.',
		name: 'secretNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		default: ['crew', 'human_input'],
		description: 'What starts the workflow. Leave empty for everything that arrives.',
		options: kindOptions,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Confirm With Crew',
				name: 'confirmWithCrew',
				type: 'boolean',
				default: false,
				description:
					'Whether to ask the crew of the credential if it knows the execution before the workflow starts',
			},
			{
				displayName: 'Event Types',
				name: 'eventTypes',
				type: 'multiOptions',
				default: [],
				description: 'Which events of the stream start the workflow. Leave empty for all.',
				options: eventTypeOptions,
			},
			{
				displayName: 'Other Event Types',
				name: 'otherEventTypes',
				type: 'string',
				default: '',
				placeholder: 'e.g. invoice_checked, invoice_paid',
				description:
					'Types of the stream that your crew sends beside the known ones, with commas between them',
			},
			{
				displayName: 'Split Events',
				name: 'splitEvents',
				type: 'boolean',
				default: true,
				description:
					'Whether each event of the stream becomes an item of its own, by time. Otherwise all of one request come as one item.',
			},
		],
	},
];
