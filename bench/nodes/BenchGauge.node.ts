import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

/** What the probe puts into n8n's process, see `bench/src/probe.cjs`. */
declare const globalThis: { crewBenchCollectGarbage(): void };

/** Returns how much of the heap is in use at this point of an execution, with the items that pass through. */
export class BenchGauge implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Gauge',
		name: 'benchGauge',
		group: ['transform'],
		version: 1,
		description: 'Gives the bytes of the heap that are in use',
		defaults: { name: 'Bench Gauge' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// Twice: what the first collection frees may have held on to more.
		globalThis.crewBenchCollectGarbage();
		await new Promise((resolve) => setImmediate(resolve));
		globalThis.crewBenchCollectGarbage();
		const [first, ...rest] = this.getInputData();
		const json = { ...first?.json, heap_used: process.memoryUsage().heapUsed };
		return [[{ json, pairedItem: { item: 0 } }, ...rest]];
	}
}
