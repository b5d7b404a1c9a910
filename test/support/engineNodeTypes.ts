import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypes,
	IVersionedNodeType,
} from 'n8n-workflow';
import { Crew } from '../../nodes/Crew/Crew.node';
import { CrewTrigger } from '../../nodes/Crew/CrewTrigger.node';

export const START_TYPE = 'test.start';

/** Gives the items that its parameter holds: n8n's own nodes are not part of n8n-core. */
class Start implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Start',
		name: 'start',
		group: ['input'],
		version: 1,
		description: '',
		defaults: { name: 'Start' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Items', name: 'items', type: 'json', default: '[]' }],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = JSON.parse(this.getNodeParameter('items', 0) as string) as object[];
		return await Promise.resolve([items.map((json) => ({ json: { ...json } }))]);
	}
}

/** The nodes under test, as n8n finds them in the installed package. */
export class EngineNodeTypes implements INodeTypes {
	private readonly types = new Map<string, INodeType>([
		[START_TYPE, new Start()],
		['n8n-nodes-crew.crew', new Crew()],
		['n8n-nodes-crew.crewTool', new Crew()],
		['n8n-nodes-crew.crewTrigger', new CrewTrigger()],
	]);

	getByName(type: string): INodeType | IVersionedNodeType {
		return this.getByNameAndVersion(type);
	}

	getByNameAndVersion(type: string): INodeType {
		const found = this.types.get(type);
		if (!found) throw new Error(`No node type ${type}`);
		return found;
	}

	getKnownTypes() {
		return {};
	}
}
