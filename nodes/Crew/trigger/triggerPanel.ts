import type { INodeTypeDescription } from 'n8n-workflow';

const WHILE_BUILDING =
	"<b>While you build the workflow</b>, click 'Execute step'. Then run a Crew node that has this trigger's test URL under 'Callbacks'. The callback shows up here.";

const IN_EXECUTIONS =
	'These executions show up in the <a data-key="executions">executions list</a>, but not here.';

/** What n8n says at the side of the open trigger. Its own words speak of a service that knows whom to call. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Wait for a callback of the crew',
	executionsHelp: {
		inactive: `${WHILE_BUILDING}<br /><br /><b>When it is ready</b>, publish it and give the Crew node the production URL instead. ${IN_EXECUTIONS}`,
		active: `${WHILE_BUILDING}<br /><br /><b>The workflow is published</b>: callbacks to the production URL start it. ${IN_EXECUTIONS}`,
	},
};
