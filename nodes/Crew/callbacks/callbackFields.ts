import type { INodeProperties } from 'n8n-workflow';
import { callbackUrlsField } from './customUrls';
import { eventTypeOptions, kindOptions } from './eventTypes';

const operation = ['kickoff', 'resume'];

const choices = {
	none: {
		name: 'None',
		value: 'none',
		description: 'The crew tells nobody: read its status when you need it',
	},
	custom: {
		name: 'Own URLs',
		value: 'custom',
		description: 'The crew calls the URLs that you enter',
	},
	same: {
		name: 'Same as Before',
		value: 'same',
		description: 'The crew goes on calling whom it called before it asked',
	},
	trigger: {
		name: 'To a Crew Trigger',
		value: 'trigger',
		description: 'The crew calls a Crew Trigger. You paste its URL.',
	},
};

/** The fields about callbacks that Kickoff and Resume share. */
export const callbackFields: INodeProperties[] = [
	{
		displayName: 'Callbacks',
		name: 'callbacks',
		type: 'options',
		default: 'none',
		description: 'Who is told how the crew gets on',
		displayOptions: { show: { operation: ['kickoff'] } },
		options: [choices.none, choices.custom, choices.trigger],
	},
	{
		displayName: 'Callbacks',
		name: 'callbacks',
		type: 'options',
		default: 'same',
		description:
			'Who is told how the crew gets on from here. A crew forgets its callbacks when it asks a person.',
		displayOptions: { show: { operation: ['resume'] } },
		options: [choices.none, choices.custom, choices.same, choices.trigger],
	},
	{
		displayName: 'Callbacks to Keep',
		name: 'sameCallbacks',
		type: 'json',
		default: '={{ $json.callbacks }}',
		description:
			'The field callbacks that Kickoff or Crew Trigger gave out. Drag it here when other nodes are in between.',
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
		description: 'What the Crew Trigger is told',
		displayOptions: { show: { operation, callbacks: ['trigger'] } },
		options: kindOptions,
	},
	callbackUrlsField,
];

/** Options about how a Crew Trigger is called. */
export const callbackOptions: INodeProperties[] = [
	{
		displayName: 'Callback Authentication',
		name: 'callbackAuthentication',
		type: 'options',
		default: 'bearer',
		description:
			'How the crew shows its token to a Crew Trigger for human input and the event stream, when the credential has a callback secret',
		displayOptions: { show: { '/callbacks': ['same', 'trigger'] } },
		options: [
			{
				name: 'Basic',
				value: 'basic',
				description: 'As a user name and a password, for crews that know only these',
			},
			{ name: 'Bearer', value: 'bearer', description: 'As a token behind the word Bearer' },
		],
	},
	{
		displayName: 'Stream Event Types',
		name: 'streamEvents',
		type: 'multiOptions',
		default: [],
		description:
			'Which events of the stream a Crew Trigger is told. Leave empty for all known types; others can be given by an expression.',
		displayOptions: { show: { '/callbacks': ['trigger'] } },
		options: eventTypeOptions,
	},
];
