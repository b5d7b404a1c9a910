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
export const FOREIGN_TYPE = 'test.foreign';

/** Returns the items in its parameter. n8n's own nodes are not part of n8n-core. */
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
		properties: [
			{ displayName: 'Items', name: 'items', type: 'json', default: '[]' },
			{ displayName: 'Response Mode', name: 'responseMode', type: 'string', default: '' },
			{ displayName: 'Options', name: 'options', type: 'json', default: {} },
			{ displayName: 'In Chat', name: 'availableInChat', type: 'boolean', default: false },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = JSON.parse(this.getNodeParameter('items', 0) as string) as object[];
		return await Promise.resolve([items.map((json) => ({ json: { ...json } }))]);
	}
}

/** Sends its items back as often as its parameter says. */
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

type Sender = (this: IExecuteFunctions, ...given: unknown[]) => Promise<unknown>;

/** Sends requests with the credential, like n8n's HTTP Request node, which follows redirects. */
class ForeignNode implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Foreign',
		name: 'foreign',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Foreign' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'crewApi', required: true }],
		properties: [
			{ displayName: 'Helper', name: 'helper', type: 'string', default: '' },
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const url = this.getNodeParameter('url', 0) as string;
		const helper = this.getNodeParameter('helper', 0) as string;
		const helpers = this.helpers as unknown as Record<string, Sender>;
		const redirects = { followRedirect: true, followAllRedirects: true };
		const answer = await helpers[helper]?.call(this, 'crewApi', {
			url,
			method: 'GET',
			...redirects,
		});
		return [[{ json: { answer: String(answer) } }]];
	}
}

/** The nodes under test with their names in the installed package, and the nodes above. */
export class EngineNodeTypes implements INodeTypes {
	private readonly types = new Map<string, INodeType>([
		[START_TYPE, new Start()],
		['n8n-nodes-base.webhook', new Start()],
		['@n8n/n8n-nodes-langchain.chatTrigger', new Start()],
		[LOOP_TYPE, new Loop()],
		[FOREIGN_TYPE, new ForeignNode()],
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
