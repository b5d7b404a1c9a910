import type { INodeProperties } from 'n8n-workflow';

/** The fields of the trigger's panel. */
export const triggerFields: INodeProperties[] = [
	{
		displayName:
			'Give the crew this node’s production URL as callback URL when you kick it off. Add <code>?callback=crew</code>, <code>task</code>, <code>step</code>, <code>human_input</code> or <code>stream</code> to say what it is called for; without, the kind is told by the content.',
		name: 'urlNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		default: ['crew', 'human_input'],
		description: 'What starts the workflow. Leave empty for everything that arrives.',
		options: [
			{
				name: 'Crew Completed',
				value: 'crew',
				description: 'The whole crew has completed',
			},
			{
				name: 'Event Stream',
				value: 'stream',
				description: 'Events of the stream, such as crew_kickoff_failed',
			},
			{
				name: 'Human Input Wanted',
				value: 'human_input',
				description: 'A task waits for a person’s feedback',
			},
			{
				name: 'Step',
				value: 'step',
				description: 'An agent has thought or acted',
			},
			{
				name: 'Task Completed',
				value: 'task',
				description: 'A task has completed',
			},
		],
	},
];
