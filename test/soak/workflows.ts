import type { INode, INodeParameters } from 'n8n-workflow';
import type { StoredCredential, WorkflowDefinition } from '../../sandbox/src/n8n-types';
import { chain, crewTriggerNode, node, webhookNode } from '../e2e/support/chain';

/** One Crew node of a workflow: its name and its parameters. */
export type Step = [name: string, parameters: INodeParameters];

/** What the last node of a workflow sends to the test. */
export interface Report {
	operation: string;
	/** The item of the node whose end counts. */
	item: { status?: string; error?: string };
}

/** The name of the first step of each workflow. */
export const KICKOFF = 'Kickoff';

/**
 * `Webhook -> Kickoff -> ... -> Report`: a POST with the crew's inputs, whose `topic` is the operation's name. A
 * request that fails becomes an item instead of ending the execution.
 */
export function operationWorkflow(
	{ name, steps, told }: { name: string; steps: readonly Step[]; told?: string },
	credential: StoredCredential,
	reportUrl: string,
): WorkflowDefinition {
	const crews = steps.map(([step, parameters]) =>
		node(step, 'n8n-nodes-crew.crew', 1, parameters, {
			credentials: { crewApi: credential },
			onError: 'continueRegularOutput',
		}),
	);
	const nodes = [webhookNode('Webhook'), ...crews];
	if (told !== undefined) {
		const body = `{ operation: $('Webhook').first().json.body.topic, item: $('${told}').first().json }`;
		nodes.push(reportNode(reportUrl, body));
	}
	return chain(`Soak: ${name}`, nodes);
}

/** `Crew Trigger -> Report`: started by the callback of a crew whose meta has the operation's name. */
export function triggerWorkflow(
	credential: StoredCredential,
	reportUrl: string,
): WorkflowDefinition {
	const trigger = crewTriggerNode(credential);
	const told = "{ operation: $json.meta.operation, item: { status: 'completed' } }";
	return chain(`Soak trigger ${trigger.webhookId ?? ''}`, [trigger, reportNode(reportUrl, told)]);
}

function reportNode(url: string, body: string): INode {
	return node('Report', 'n8n-nodes-base.httpRequest', 4.2, {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify(${body}) }}`,
		options: {},
	});
}
