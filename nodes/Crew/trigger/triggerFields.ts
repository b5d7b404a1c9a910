import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { eventTypeOptions, kindOptions } from '../callbacks/eventTypes';

/** The fields of the trigger's panel. */
export const triggerFields: INodeProperties[] = [
	{
		displayName:
			"In the Crew node, set 'Callbacks' to 'Crew Trigger' and paste this trigger's production URL, or its test URL while you build. With the same callback secret in the credentials of both nodes, only your crew can start this workflow. Without one, anyone who knows the URL can.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		default: [],
		description: 'What starts the workflow. Leave empty for everything that the crew sends.',
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
				displayName: 'Event Types',
				name: 'eventTypes',
				type: 'multiOptions',
				default: [],
				description:
					'Which events of the stream start the workflow. Leave empty for all. Use an expression for types that are not listed, e.g. {{ ["invoice_paid"] }}.',
				displayOptions: { show: { '/events': ['stream'] } },
				options: eventTypeOptions,
			},
			{
				displayName: 'Split Events',
				name: 'splitEvents',
				type: 'boolean',
				default: true,
				description:
					'Whether each event of the stream becomes a separate item, in order of time. Otherwise, all events of a request become one item.',
			},
			{
				displayName: 'Verify Execution',
				name: 'confirmWithCrew',
				type: 'boolean',
				default: false,
				description:
					'Whether to ask the credential’s crew if it knows the execution before the workflow starts',
			},
		],
	},
];

const WHILE_BUILDING =
	"<b>While you build the workflow</b>, click 'Execute step'. Then run a Crew node that has this trigger's test URL under 'Callbacks'. The callback shows up here.";

const IN_EXECUTIONS =
	'These executions show up in the <a data-key="executions">executions list</a>, but not here.';

/** What n8n shows next to the open trigger. Its default text assumes a service that knows who to call. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Wait for a callback from the crew',
	executionsHelp: {
		inactive: `${WHILE_BUILDING}<br /><br /><b>When it is ready</b>, publish it and give the Crew node the production URL instead. ${IN_EXECUTIONS}`,
		active: `${WHILE_BUILDING}<br /><br /><b>The workflow is published</b>: callbacks to the production URL start it. ${IN_EXECUTIONS}`,
	},
};
