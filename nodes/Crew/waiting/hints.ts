import type { IExecuteFunctions } from 'n8n-workflow';

/** What n8n shows beside the node's output. */
export const HINTS = {
	callbacksOnly:
		'n8n cannot call its own webhook address. If the crew’s callback is lost, its end is noticed only when the time limit is reached',
	held: 'n8n cannot call its own webhook address, so this execution was kept running while it waited',
	respondsTooEarly:
		'This workflow’s trigger responds when its last node finishes, and does so as soon as the execution waits: before the crew has ended. Use a Respond to Webhook node, or turn on the option Keep Execution Running',
} as const;

/** Whether the workflow starts with a trigger whose caller gets what the node shows while it waits. */
export function respondsTooEarly(context: IExecuteFunctions): boolean {
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.some(({ type, disabled, parameters = {} }) => {
			if (disabled) return false;
			if (type === 'n8n-nodes-base.webhook') return parameters.responseMode === 'lastNode';
			if (type !== '@n8n/n8n-nodes-langchain.chatTrigger') return false;
			const { responseMode } = { ...(parameters.options as object) } as { responseMode?: unknown };
			return (responseMode ?? (parameters.availableInChat ? '' : 'lastNode')) === 'lastNode';
		});
}
