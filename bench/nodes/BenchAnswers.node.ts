import { randomUUID } from 'node:crypto';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

/** Returns the items of a kickoff without a request, to measure the memory of the items themselves. */
export class BenchAnswers implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Answers',
		name: 'benchAnswers',
		group: ['transform'],
		version: 1,
		description: 'Gives items like those of a kickoff',
		defaults: { name: 'Bench Answers' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const answers = this.getInputData().map((_, item) => ({
			json: { kickoff_id: randomUUID(), status: 'started' },
			pairedItem: { item },
		}));
		return await Promise.resolve([answers]);
	}
}
