import type { INodeProperties } from 'n8n-workflow';
import { eventTypeOptions, kindOptions } from './eventTypes';

const operation = ['kickoff', 'resume'];

const choices = {
	none: {
		name: 'None',
		value: 'none',
		description: 'The crew calls only this node, and only if the node waits for it',
	},
	custom: {
		name: 'Custom URLs',
		value: 'custom',
		description: 'The crew calls the URLs that you enter',
	},
	same: {
		name: 'Keep Existing',
		value: 'same',
		description: 'The crew keeps calling what it called before it asked',
	},
	trigger: {
		name: 'Crew Trigger',
		value: 'trigger',
		description: 'The crew calls a Crew Trigger. You paste its URL.',
	},
};

export const URL_EXAMPLE = 'https://my-n8n.example.com/webhook/…';

/** The user's own URLs. */
export const urlFields = [
	{
		displayName: 'Crew Webhook URL',
		name: 'crewWebhookUrl',
		description: 'Called when the whole crew has completed',
	},
	{
		displayName: 'Human Input Webhook URL',
		name: 'humanInputWebhookUrl',
		description: 'Called when a task waits for a person’s feedback',
	},
	{
		displayName: 'Step Webhook URL',
		name: 'stepWebhookUrl',
		description: 'Called after each thought or action of an agent',
	},
	{
		displayName: 'Task Webhook URL',
		name: 'taskWebhookUrl',
		description: 'Called after each completed task',
	},
].map((field): INodeProperties => ({
	...field,
	type: 'string',
	default: '',
	placeholder: `e.g. ${URL_EXAMPLE}`,
}));

/** The fields about callbacks that Kickoff and Resume share. */
export const callbackFields: INodeProperties[] = [
	{
		displayName: 'Callbacks',
		name: 'callbacks',
		type: 'options',
		default: 'none',
		description: 'What the crew calls to report its progress',
		displayOptions: { show: { operation: ['kickoff'] } },
		options: [choices.trigger, choices.custom, choices.none],
	},
	{
		displayName: 'Callbacks',
		name: 'callbacks',
		type: 'options',
		default: 'same',
		description:
			'What the crew calls to report its progress from now on. A crew forgets its callbacks when it asks a person.',
		displayOptions: { show: { operation: ['resume'] } },
		options: [choices.trigger, choices.custom, choices.same, choices.none],
	},
	{
		displayName: 'Existing Callbacks',
		name: 'sameCallbacks',
		type: 'json',
		default: '={{ $json.callbacks }}',
		description:
			'The field callbacks that Kickoff or Crew Trigger returned. Drag it here if other nodes are in between.',
		displayOptions: { show: { operation: ['resume'], callbacks: ['same'] } },
	},
	{
		displayName: 'Trigger URL',
		name: 'triggerUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://my-n8n.example.com/webhook/1f3b…/webhook',
		description:
			'The production URL that the Crew Trigger shows, or its test URL while it waits for a test event',
		displayOptions: { show: { operation, callbacks: ['trigger'] } },
	},
	{
		displayName: 'Trigger Events',
		name: 'triggerEvents',
		type: 'multiOptions',
		default: ['crew', 'human_input'],
		description: 'What the crew reports to the Crew Trigger',
		displayOptions: { show: { operation, callbacks: ['trigger'] } },
		options: kindOptions,
	},
	{
		displayName: 'Callback URLs',
		name: 'callbackUrls',
		type: 'collection',
		placeholder: 'Add URL',
		default: {},
		description: 'The addresses that the crew calls, e.g. of your own service',
		displayOptions: { show: { operation, callbacks: ['custom'] } },
		options: urlFields,
	},
];

/** The option about what a Crew Trigger gets. */
export const streamEventsOption: INodeProperties = {
	displayName: 'Stream Event Types',
	name: 'streamEvents',
	type: 'multiOptions',
	default: [],
	description:
		'Which events of the stream the crew sends. Leave empty for all known types. Use an expression for others, e.g. {{ ["invoice_paid"] }}.',
	displayOptions: { show: { '/callbacks': ['trigger'], '/triggerEvents': ['stream'] } },
	options: eventTypeOptions,
};
