import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { connect } from './api/connect';
import { testCrewApi } from './api/credentialTest';
import { operationFields, operations } from './operations';
import { getInputFields } from './operations/kickoffInputs';
import { toNodeError } from './operations/nodeError';
import { receiveWhileParked } from './waiting/onCallback';
import { resumeWebhooks } from './waiting/resumeWebhooks';

/** Starts, watches, resumes and stops the executions of a deployed crew. */
export class Crew implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Crew',
		name: 'crew',
		icon: { light: 'file:crew.svg', dark: 'file:crew.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ {getInputs: "Get Inputs", getStatus: "Get Status", kickoff: "Kickoff", resume: "Resume", stop: "Stop"}[$parameter["operation"]] }}',
		description: 'Run a deployed crew of AI agents: kick it off, watch it, answer its questions',
		defaults: { name: 'Crew' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		webhooks: resumeWebhooks,
		waitingNodeTooltip: 'Waiting until the crew has ended or asks a person',
		credentials: [{ name: 'crewApi', required: true, testedBy: 'testCrewApi' }],
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				default: 'kickoff',
				options: [
					{
						name: 'Get Inputs',
						value: 'getInputs',
						description: 'List the inputs that the crew expects: names, types, whether required',
						action: 'Get inputs of crew',
					},
					{
						name: 'Get Status',
						value: 'getStatus',
						description:
							'Read how an execution of the crew stands by its kickoff_id, and its output once completed',
						action: 'Get status of execution',
					},
					{
						name: 'Kickoff',
						value: 'kickoff',
						description:
							'Start the crew with inputs. Returns its kickoff_id, or its result when waiting is chosen.',
						action: 'Kick off crew',
					},
					{
						name: 'Resume',
						value: 'resume',
						description: 'Approve or reject the output of a task that waits for human input',
						action: 'Resume execution',
					},
					{
						name: 'Stop',
						value: 'stop',
						description: 'End an execution of the crew that is still under way',
						action: 'Stop execution',
					},
				],
			},
			...operationFields,
		],
	};

	methods = {
		credentialTest: { testCrewApi },
		resourceMapping: { getInputFields },
	};

	/** A callback for a parked execution. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveWhileParked(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const name = this.getNodeParameter('operation', 0);
		const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
		if (!operation) {
			throw new NodeOperationError(this.getNode(), `Crew has no operation "${name}"`, {
				description: "Choose one under 'Operation'.",
			});
		}
		try {
			return [await operation.execute(this, await connect(this, this.getExecutionCancelSignal()))];
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}
