import type { IExecuteFunctions, NodeHint } from 'n8n-workflow';

/** What n8n shows with the node's output. */
export const HINTS = {
	callbacksOnly:
		'n8n cannot call its own webhook address. If the crew’s callback is lost, its end is noticed only when the time limit is reached',
	polledOnly:
		'If n8n restarts while it waits for a crew that does not call back, nothing checks that crew anymore, and its item is timed_out at the time limit. To avoid this, wait in Kickoff or Resume, with ‘Detect Completion’ on ‘Automatically’ and N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) set to an address of this n8n that the crew can call',
	held: 'n8n cannot call its own webhook address, so this execution was kept running while it waited',
	respondsTooEarly:
		'This workflow’s trigger responds when its last node finishes, and does so as soon as the execution waits: before the crew has ended. Use a Respond to Webhook node, or turn on the option Keep Execution Running',
} as const;

/** What n8n shows in the panel before a run. */
export const panelHints: NodeHint[] = [
	{
		message: HINTS.polledOnly,
		type: 'info',
		location: 'ndv',
		whenToDisplay: 'beforeExecution',
		displayCondition:
			'={{ $parameter["wait"] === "end" && ($parameter["operation"] === "getStatus" || $parameter["options"]["noticeBy"] === "polling") && !$parameter["options"]["hold"] }}',
	},
];

/** Whether the workflow starts with a trigger that responds as soon as the node waits. */
export function respondsTooEarly(context: IExecuteFunctions): boolean {
	const parents = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	return parents.some(({ type, disabled, parameters = {} }) => {
		if (disabled) return false;
		if (type === 'n8n-nodes-base.webhook') return parameters.responseMode === 'lastNode';
		if (type !== '@n8n/n8n-nodes-langchain.chatTrigger') return false;
		const { responseMode } = { ...(parameters.options as object) } as { responseMode?: unknown };
		return (responseMode ?? (parameters.availableInChat ? '' : 'lastNode')) === 'lastNode';
	});
}
