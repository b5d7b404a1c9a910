import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeTypeDescription,
} from 'n8n-workflow';
import type { WorkflowDefinition } from '../../../sandbox/src/n8n-types';
import type { N8nSession } from '../../../sandbox/src/n8n-session';

/** All node types of an n8n, as its editor gets them. */
export async function readNodeTypes(session: N8nSession): Promise<INodeTypeDescription[]> {
	return (await session.request('GET', '/types/nodes.json')) as INodeTypeDescription[];
}

/**
 * What n8n's editor would warn about or drop when a workflow is imported: unknown types, parameters and values, and
 * fields without a required value. Credentials are not checked, since everyone has their own.
 *
 * @returns one line each, with the node's name in front
 */
export function objectionsTo(
	{ nodes }: Pick<WorkflowDefinition, 'nodes'>,
	types: INodeTypeDescription[],
): string[] {
	return nodes.flatMap((node) => {
		const type = types.find(
			({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
		);
		const found = type === undefined ? ['of an unknown type'] : objectionsToNode(node, type);
		return found.map((what) => `${node.name}: ${what}`);
	});
}

function objectionsToNode(node: INode, type: INodeTypeDescription): string[] {
	// As the editor reads it: without unknown parameters, and with defaults for missing ones.
	const parameters =
		NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type) ?? {};
	const issues = NodeHelpers.getNodeParametersIssues(
		type.properties,
		{ ...node, parameters },
		type,
	);
	return [...lost(node.parameters, parameters), ...Object.values(issues?.parameters ?? {}).flat()];
}

/** Paths of what is in `given` and not in `kept`. */
function lost(given: INodeParameters, kept: INodeParameters, path = ''): string[] {
	return Object.entries(given).flatMap(([name, value]) => {
		if (!(name in kept)) return [`${path}${name} is unknown or not shown`];
		const other = kept[name];
		const isGroup = isParameters(value) && isParameters(other);
		return isGroup ? lost(value, other, `${path}${name}.`) : [];
	});
}

function isParameters(value: unknown): value is INodeParameters {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
