import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { StoredCredential, WorkflowDefinition } from '../../../sandbox/src/n8n-types';

/** A node with the fields that every node has. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: INodeParameters,
	settings: Partial<INode> = {},
): INode {
	const id = randomUUID();
	return { id, name, type, typeVersion, position: [0, 0], parameters, ...settings };
}

/** A Webhook node for POST at its own path that answers at once. */
export function webhookNode(name: string): INode {
	const webhookId = randomUUID();
	const parameters = { httpMethod: 'POST', path: webhookId, responseMode: 'onReceived' };
	return node(name, 'n8n-nodes-base.webhook', 2, parameters, { webhookId });
}

/** A Crew Trigger for callbacks about a crew's end. */
export function crewTriggerNode(credential?: StoredCredential): INode {
	return node(
		'Crew Trigger',
		'n8n-nodes-crew.crewTrigger',
		2,
		{ events: ['crew'] },
		{ webhookId: randomUUID(), ...(credential ? { credentials: { crewApi: credential } } : {}) },
	);
}

/** A workflow of nodes in a row. */
export function chain(name: string, nodes: INode[]): WorkflowDefinition {
	const names = nodes.map((each) => each.name);
	return {
		name,
		nodes: nodes.map((each, index) => ({ ...each, position: [index * 240, 0] })),
		connections: Object.fromEntries(
			names
				.slice(0, -1)
				.map((from, index) => [
					from,
					{ main: [[{ node: names[index + 1] ?? '', type: 'main' as const, index: 0 }]] },
				]),
		),
	};
}
