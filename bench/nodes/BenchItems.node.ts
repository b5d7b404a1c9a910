import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

/** Returns as many items as the request that started the workflow asks for, each with inputs for a crew. */
export class BenchItems implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Items',
		name: 'benchItems',
		group: ['transform'],
		version: 1,
		description: 'Gives items',
		defaults: { name: 'Bench Items' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { durations } = this.getInputData()[0]?.json['body'] as { durations: number[] };
		const items = durations.map((duration, n): IDataObject => ({ topic: `topic ${n}`, duration }));
		return await Promise.resolve([items.map((json) => ({ json, pairedItem: { item: 0 } }))]);
	}
}
