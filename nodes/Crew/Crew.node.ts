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
import { connect, paced } from './n8n/connect';
import { testCrewApi } from './n8n/credentialTest';
import { operationFields, operations } from './operations';
import { getInputFields } from './operations/kickoffInputs';
import { toNodeError } from './n8n/nodeError';
import { readMaxParallel } from './operations/operation';
import { errorItem } from './operations/runItems';
import { panelHints } from './waiting/hints';
import { receiveWhileWaiting } from './waiting/receiveResumeCall';
import { resumeWebhooks } from './waiting/resumeUrl';

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
		description:
			'Run crews of AI agents deployed on CrewAI, or on any service with the same API (unofficial)',
		defaults: { name: 'Crew' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		webhooks: resumeWebhooks,
		hints: panelHints,
		waitingNodeTooltip: 'Waiting until the crew ends or asks for human input',
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
						description:
							'List the inputs that the crew expects: their names, their types and which are required',
						action: 'Get inputs of crew',
					},
					{
						name: 'Get Status',
						value: 'getStatus',
						description:
							'Read the status of an execution by its kickoff_id, and its output once it has completed',
						action: 'Get status of execution',
					},
					{
						name: 'Kickoff',
						value: 'kickoff',
						description:
							'Start an execution of the crew. Returns its result, or only its kickoff_id if the node does not wait.',
						action: 'Kick off crew',
					},
					{
						name: 'Resume',
						value: 'resume',
						description:
							'Resume an execution that asks for human input: approve or reject the output of its task',
						action: 'Resume execution',
					},
					{
						name: 'Stop',
						value: 'stop',
						description: 'Stop a running execution of the crew',
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

	/** A call of a waiting execution. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveWhileWaiting(this);
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
			const crew = await connect(this);
			const cancelled = this.getExecutionCancelSignal();
			return [await operation.execute(this, paced(this, crew, readMaxParallel(this), cancelled))];
		} catch (cause) {
			const error = toNodeError(this.getNode(), cause);
			if (!this.continueOnFail()) throw error;
			// Otherwise, n8n would pass the input on as if it had succeeded, even beside an error output.
			return [this.getInputData().map((_, item) => errorItem(this, error, item))];
		}
	}
}
