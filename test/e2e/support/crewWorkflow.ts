import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { StoredCredential, WorkflowDefinition } from '../../../sandbox/src/n8n-api';

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
 */
export function crewWorkflow(
	credential: StoredCredential,
	parameters: INodeParameters,
	settings: Partial<INode> = {},
): WorkflowDefinition {
	const webhookId = randomUUID();
	const nodes = [
		node(NODES.trigger, 'n8n-nodes-base.webhook', 2, {
			httpMethod: 'POST',
			path: webhookId,
			responseMode: 'onReceived',
		}),
		node(NODES.items, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.items' }),
		{
			...node(NODES.crew, 'n8n-nodes-crew.crew', 1, {
				operation: 'kickoff',
				specifyInputs: 'json',
				inputsJson: '={{ JSON.stringify($json) }}',
				...parameters,
			}),
			credentials: { crewApi: credential },
			...settings,
		},
		node(NODES.after, 'n8n-nodes-base.set', 3.4, {
			mode: 'raw',
			jsonOutput: `={{ JSON.stringify({ ...$json, asked: $("${NODES.items}").item.json.topic }) }}`,
			options: {},
		}),
	].map((each, index) => ({ ...each, position: [index * 200, 0] as [number, number] }));
	nodes[0] = { ...(nodes[0] as INode), webhookId };
	const names = nodes.map(({ name }) => name);
	const connections = Object.fromEntries(
		names
			.slice(0, -1)
			.map((name, index) => [
				name,
				{ main: [[{ node: names[index + 1] ?? '', type: 'main' as const, index: 0 }]] },
			]),
	);
	return { name: `Crew workflow ${webhookId}`, nodes, connections };
}

function node(name: string, type: string, typeVersion: number, parameters: INodeParameters): INode {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}
