import { createHash } from 'node:crypto';
import {
	NodeHelpers,
	type IConnections,
	type INode,
	type INodeParameters,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { Crew } from '../../../nodes/Crew/Crew.node';
import { CrewTrigger } from '../../../nodes/Crew/CrewTrigger.node';
import type { WorkflowDefinition } from '../../../sandbox/src/n8n-types';

/** A workflow that is saved for a release, and the name of its file. */
export interface SavedDefinition {
	file: string;
	workflow: WorkflowDefinition;
}

const crew = new Crew().description;

/** The package's nodes by their names in saved workflows. */
const DESCRIPTIONS: Partial<Record<string, INodeTypeDescription>> = {
	'n8n-nodes-crew.crew': crew,
	'n8n-nodes-crew.crewTool': crew,
	'n8n-nodes-crew.crewTrigger': new CrewTrigger().description,
};

/** The package's nodes in a workflow. */
export function crewNodes({ nodes }: Pick<WorkflowDefinition, 'nodes'>): INode[] {
	return nodes.filter(({ type }) => DESCRIPTIONS[type] !== undefined);
}

/** The description of one of the package's nodes. */
export function descriptionOf({ type }: INode): INodeTypeDescription {
	const description = DESCRIPTIONS[type];
	if (description) return description;
	throw new Error(`This package has no node ${type}`);
}

/**
 * A node's parameters as n8n's editor reads them, without those that the node does not know.
 *
 * @param withDefaults whether to fill in the defaults; without them, it is what the editor saves
 */
export function readByEditor(node: INode, withDefaults: boolean): INodeParameters {
	const description = descriptionOf(node);
	const properties = description.properties.filter(({ type }) => type !== 'notice');
	return (
		NodeHelpers.getNodeParameters(
			properties,
			node.parameters,
			withDefaults,
			false,
			node,
			description,
		) ?? {}
	);
}

/** A workflow of nodes in a row, as n8n's editor saves it. */
export function savedWorkflow(file: string, nodes: readonly INode[]): SavedDefinition {
	const saved = nodes.map((node, index): INode => {
		const id = uuidOf(`${file} ${node.name}`);
		const isOurs = crewNodes({ nodes: [node] }).length > 0;
		return {
			...node,
			id,
			position: [index * 220, 0],
			parameters: isOurs ? readByEditor(node, false) : node.parameters,
			...(isOurs ? { webhookId: id } : {}),
		};
	});
	const connections: IConnections = {};
	for (const [index, { name }] of saved.slice(0, -1).entries()) {
		const next = { node: saved[index + 1]?.name ?? '', type: 'main' as const, index: 0 };
		connections[name] = { main: [[next]] };
	}
	return { file, workflow: { name: `Saved: ${file}`, nodes: saved, connections } };
}

/** The same text has the same ID, so that saving again changes only what is different. */
function uuidOf(text: string): string {
	const hex = createHash('sha256').update(text).digest('hex');
	return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
