import type { INodeProperties } from 'n8n-workflow';

const operation = ['kickoff', 'resume'];

/** Shows an option, whose name is below `options`, only if the node waits for the crew. */
export const whenWaiting = { show: { '/wait': ['end'] } };
const whenNotHeld = { ...whenWaiting, hide: { hold: [true] } };

const waitField: INodeProperties = {
	displayName: 'Wait for the Crew',
	name: 'wait',
	type: 'options',
	default: 'end',
	description:
		'Whether to go on only when the crew has ended or asks a person. If the crew cannot call this n8n, a restart of n8n ends the checks of its status: see the option Detect Completion.',
	options: [
		{ name: 'No', value: 'no', description: 'Go on at once' },
		{
			name: 'Until It Has Ended',
			value: 'end',
			description:
				'Go on with the result, or when a person is asked. The execution waits and takes up no slot.',
		},
	],
};

const limitFields: INodeProperties[] = [
	{
		displayName: 'Limit Wait Time',
		name: 'limitWaitTime',
		type: 'boolean',
		default: true,
		description:
			'Whether to go on after some time, with the status timed_out, if the crew has not ended by then. If you turn it off and there are no callbacks, the limit is 24 hours.',
	},
	{
		displayName: 'Max Wait',
		name: 'resumeAmount',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 1,
		description: 'How long to wait at most',
	},
	{
		displayName: 'Unit',
		name: 'resumeUnit',
		type: 'options',
		default: 'hours',
		description: 'The unit of Max Wait',
		options: [
			{ name: 'Seconds', value: 'seconds' },
			{ name: 'Minutes', value: 'minutes' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Days', value: 'days' },
		],
	},
];

/** Whether and how long to wait for an execution's end. */
export const waitFields: INodeProperties[] = [
	{ ...waitField, displayOptions: { show: { operation } } },
	{ ...waitField, default: 'no', displayOptions: { show: { operation: ['getStatus'] } } },
	...limitFields.map((field) => ({
		...field,
		displayOptions: {
			show: {
				operation: [...operation, 'getStatus'],
				wait: ['end'],
				...(field.name === 'limitWaitTime' ? {} : { limitWaitTime: [true] }),
			},
		},
	})),
];

/** Options of all operations that can wait. */
export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Keep Execution Running',
		name: 'hold',
		type: 'boolean',
		default: false,
		description:
			'Whether to keep the execution running and ask for the status again and again, for workflows whose caller gets no answer from a waiting execution. It takes up a slot of n8n and ends if n8n restarts.',
		displayOptions: whenWaiting,
	},
	{
		displayName: 'Poll Interval (Seconds)',
		name: 'pollInterval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description:
			'How long to wait between two status checks when the crew does not call back. Grows up to 30 seconds by itself.',
		displayOptions: whenWaiting,
	},
	{
		displayName: 'Stop on Cancel',
		name: 'stopOnCancel',
		type: 'boolean',
		default: false,
		description:
			'Whether to stop the crew when this n8n execution is cancelled while it is kept running',
		displayOptions: { show: { ...whenWaiting.show, hold: [true] } },
	},
];

/** The option of the operations that can send callback URLs. */
export const noticeOption: INodeProperties = {
	displayName: 'Detect Completion',
	name: 'noticeBy',
	type: 'options',
	default: 'auto',
	description: 'How to find out that the crew has ended or asks for human input',
	displayOptions: whenNotHeld,
	options: [
		{
			name: 'Automatically',
			value: 'auto',
			description:
				'By callback if the crew can reach this n8n. Otherwise by status checks, which end if n8n restarts: to avoid that, set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to an address of this n8n that the crew can call.',
		},
		{
			name: 'By Callback',
			value: 'callback',
			description:
				'The crew must be able to call this n8n. The node also makes a few status checks.',
		},
		{
			name: 'By Polling',
			value: 'polling',
			description:
				'By status checks only, which end if n8n restarts. The crew gets no callback URLs for the wait.',
		},
	],
};

/** The option of the operation that starts a crew. */
export const failureEventsOption: INodeProperties = {
	displayName: 'Subscribe to Failures',
	name: 'failureEvents',
	type: 'boolean',
	default: true,
	description:
		'Whether to subscribe to the event crew_kickoff_failed, so that you learn at once when the crew fails. Turn it off for deployments without an event stream.',
	displayOptions: { ...whenWaiting, hide: { hold: [true], noticeBy: ['polling'] } },
};
