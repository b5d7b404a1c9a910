import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

/**
 * The least that a kickoff for each item can cost in n8n: only the requests, through n8n's own helper, a number of them at
 * once, with the credential decrypted once. One at a time is the loop that most nodes use.
 */
export class BenchFloor implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Floor',
		name: 'benchFloor',
		group: ['transform'],
		version: 1,
		description: 'Sends a kickoff for each item and does nothing else',
		defaults: { name: 'Bench Floor' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'crewApi', required: true }],
		properties: [
			{ displayName: 'At Once', name: 'atOnce', type: 'number', default: 10 },
			{ displayName: 'Decrypt Once', name: 'decryptOnce', type: 'boolean', default: true },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const decryptOnce = this.getNodeParameter('decryptOnce', 0) as boolean;
		const credential = await this.getCredentials<{ baseUrl: string; accessToken: string }>(
			'crewApi',
		);
		const data = { id: '', name: '', type: 'crewApi', data: { ...credential } };
		const results: INodeExecutionData[] = [];
		let next = 0;
		const worker = async () => {
			while (next < items.length) {
				const index = next++;
				const request: IHttpRequestOptions = {
					method: 'POST',
					url: `${credential.baseUrl}/kickoff`,
					body: { inputs: items[index]?.json },
					json: true,
				};
				const answer: unknown = await this.helpers.httpRequestWithAuthentication.call(
					this,
					'crewApi',
					request,
					decryptOnce ? { credentialsDecrypted: data } : undefined,
				);
				results[index] = { json: answer as IDataObject, pairedItem: index };
			}
		};
		const atOnce = this.getNodeParameter('atOnce', 0) as number;
		await Promise.all(Array.from({ length: atOnce }, worker));
		return [results];
	}
}
