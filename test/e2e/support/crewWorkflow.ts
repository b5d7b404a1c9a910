import type { INode, INodeParameters } from 'n8n-workflow';
import type { StoredCredential, WorkflowDefinition } from '../../../sandbox/src/n8n-types';
import { chain, node, webhookNode } from './chain';

/** Names of the nodes in {@link crewWorkflow}. */
export const NODES = {
	trigger: 'Webhook',
	items: 'Items',
	crew: 'Crew',
	after: 'After',
} as const;

/**
 * `Webhook -> Items -> Crew -> After`: a POST with `{items: [...]}` runs the Crew node with these
 * items, and After shows for each what its input item was.
 *
 * @param parameters the Crew node's
 * @param further nodes after After
 */
export function crewWorkflow(
	credential: StoredCredential,
	parameters: INodeParameters,
	settings: Partial<INode> = {},
	further: readonly INode[] = [],
): WorkflowDefinition {
	const trigger = webhookNode(NODES.trigger);
	return chain(`Crew workflow ${trigger.webhookId ?? ''}`, [
		trigger,
		node(NODES.items, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.items' }),
		node(
			NODES.crew,
			'n8n-nodes-crew.crew',
			1,
			{
				operation: 'kickoff',
				specifyInputs: 'json',
				inputsJson: '={{ JSON.stringify($json) }}',
				wait: 'no',
				...parameters,
			},
			{ credentials: { crewApi: credential }, ...settings },
		),
		node(NODES.after, 'n8n-nodes-base.set', 3.4, {
			mode: 'raw',
			// n8n 2.14 cannot spread an item in an expression.
			jsonOutput: `={{ JSON.stringify(Object.assign({}, $json, { asked: $("${NODES.items}").item.json.topic })) }}`,
			options: {},
		}),
		...further,
	]);
}
