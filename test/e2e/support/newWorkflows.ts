import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { StoredCredential, WorkflowDefinition } from '../../../sandbox/src/n8n-types';
import { chain, node } from './chain';

/** Names of the nodes in a user's new workflows. */
export const NAMES = {
	start: 'When clicking ‘Execute workflow’',
	crew: 'Crew',
	after: 'After',
	check: 'If',
} as const;

/** A workflow with nothing but a Manual Trigger. */
export function begunWorkflow(): WorkflowDefinition {
	return workflow([manualTrigger()]);
}

/** `Manual Trigger -> Crew -> After`. */
export function crewOnCanvas(
	parameters: INodeParameters,
	{ id, name }: StoredCredential,
): WorkflowDefinition {
	const settings = { credentials: { crewApi: { id, name } } };
	const crew = node(NAMES.crew, 'n8n-nodes-crew.crew', 1, parameters, settings);
	return workflow([manualTrigger(), crew, node(NAMES.after, 'n8n-nodes-base.noOp', 1, {})]);
}

/** `Manual Trigger -> Crew -> If`, as the tutorial ends. */
export function finishedWorkflow({ id, name }: StoredCredential): WorkflowDefinition {
	const settings = { credentials: { crewApi: { id, name } } };
	const inputs = { specifyInputs: 'json', inputsJson: '{"topic": "electric bicycles"}' };
	const crew = node(NAMES.crew, 'n8n-nodes-crew.crew', 1, inputs, settings);
	const condition = {
		id: randomUUID(),
		leftValue: '={{ $json.status }}',
		rightValue: 'completed',
		operator: { type: 'string', operation: 'equals' },
	};
	const conditions = {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
		combinator: 'and',
		conditions: [condition],
	};
	const check = node(NAMES.check, 'n8n-nodes-base.if', 2.2, { conditions });
	return workflow([manualTrigger(), crew, check]);
}

/** A workflow with nothing but a Crew Trigger. */
export function crewTriggerOnCanvas(
	parameters: INodeParameters,
	{ id, name }: StoredCredential,
): WorkflowDefinition {
	const settings = { webhookId: randomUUID(), credentials: { crewApi: { id, name } } };
	return workflow([node('Crew Trigger', 'n8n-nodes-crew.crewTrigger', 2, parameters, settings)]);
}

function manualTrigger(): INode {
	return node(NAMES.start, 'n8n-nodes-base.manualTrigger', 1, {});
}

function workflow(nodes: INode[]): WorkflowDefinition {
	return chain('My first crew', nodes);
}
