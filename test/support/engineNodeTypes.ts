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
export const LOOP_TYPE = 'test.loop';

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

/** Sends its items back until they have gone round as often as its parameter says. */
class Loop implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Loop',
		name: 'loop',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Loop' },
		inputs: ['main'],
		outputs: ['main', 'main'],
		properties: [{ displayName: 'Rounds', name: 'rounds', type: 'number', default: 1 }],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const round = 1 + (this.evaluateExpression('{{ $runIndex }}', 0) as number);
		const items = this.getInputData().map(({ json }, item) => ({ json, pairedItem: { item } }));
		const isDone = round >= (this.getNodeParameter('rounds', 0) as number);
		return await Promise.resolve(isDone ? [[], items] : [items, []]);
	}
}

/** The nodes under test, as n8n finds them in the installed package. */
export class EngineNodeTypes implements INodeTypes {
	private readonly types = new Map<string, INodeType>([
		[START_TYPE, new Start()],
		[LOOP_TYPE, new Loop()],
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
