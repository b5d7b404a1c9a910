import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads both while it loads, and would write to the home folder otherwise.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'crew-engine-'));
process.env.N8N_ENCRYPTION_KEY = 'only-for-the-engine-tests';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	Workflow,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeExecutionData,
	type IRun,
	type IWorkflowExecuteAdditionalData,
	type NodeParameterValueType,
} from 'n8n-workflow';
import { CrewCredentials } from './crewCredentials';
import { EngineNodeTypes, START_TYPE } from './engineNodeTypes';

/** What a test says of one node; the rest is the same for all. */
export interface CrewNode {
	parameters: Record<string, NodeParameterValueType>;
	type?: string;
	settings?: Partial<
		Pick<INode, 'continueOnFail' | 'maxTries' | 'onError' | 'retryOnFail' | 'waitBetweenTries'>
	>;
}

export interface EngineRun {
	run: IRun;
	/** Items of the node's outputs; the second output is the error output. */
	outputs: INodeExecutionData[][];
	/** The first output's items' content. */
	json: Array<INodeExecutionData['json']>;
	/** The message and description that n8n shows at the node, where the workflow stopped there. */
	error?: {
		message: string;
		description?: string | null;
		httpCode?: string | null;
		item?: unknown;
	};
}

export const CREDENTIAL = {
	baseUrl: 'https://crew.example.com',
	accessToken: 'organisation-token',
	callbackSecret: '',
};

interface EngineOptions {
	items?: Array<INodeExecutionData['json']>;
	credential?: Partial<typeof CREDENTIAL>;
	/** Aborts the execution as a person does who presses stop. */
	cancel?: AbortSignal;
}

/**
 * Runs `Start -> Crew` on n8n's real engine.
 *
 * @param node the Crew node's parameters and settings
 * @param items what Start gives to it; one empty item by default
 */
export async function runCrew(node: CrewNode, options: EngineOptions = {}): Promise<EngineRun> {
	const { items = [{}], credential = {}, cancel } = options;
	const workflow = createWorkflow(node, items);
	const execution = new WorkflowExecute(additionalData({ ...CREDENTIAL, ...credential }), 'manual');
	const running = execution.run({ workflow, startNode: workflow.getNode('Start')! });
	cancel?.addEventListener('abort', () => {
		running.cancel();
	});
	const run = await running;
	const task = run.data.resultData.runData.Crew?.at(-1);
	const outputs = (task?.data?.main ?? []).map((output) => output ?? []);
	const error = task?.error as unknown as
		| { message: string; description?: string; httpCode?: string; context?: { itemIndex?: number } }
		| undefined;
	return {
		run,
		outputs,
		json: (outputs[0] ?? []).map(({ json }) => json),
		error: error && {
			message: error.message,
			description: error.description,
			httpCode: error.httpCode,
			item: error.context?.itemIndex,
		},
	};
}

export function createWorkflow(node: CrewNode, items: Array<INodeExecutionData['json']>): Workflow {
	const nodes: INode[] = [
		{
			id: 'start',
			name: 'Start',
			type: START_TYPE,
			typeVersion: 1,
			position: [0, 0],
			parameters: { items: JSON.stringify(items) },
		},
		{
			id: 'crew',
			name: 'Crew',
			type: node.type ?? 'n8n-nodes-crew.crew',
			typeVersion: 1,
			position: [200, 0],
			parameters: node.parameters,
			credentials: { crewApi: { id: '1', name: 'Crew API' } },
			...node.settings,
		},
	];
	const connections: IConnections = {
		Start: { main: [[{ node: 'Crew', type: 'main', index: 0 }]] },
	};
	return new Workflow({
		id: 'workflow-1',
		name: 'Engine test',
		nodes,
		connections,
		active: false,
		nodeTypes: new EngineNodeTypes(),
	});
}

export function additionalData(
	credential: ICredentialDataDecryptedObject,
): IWorkflowExecuteAdditionalData {
	const base = 'http://localhost:5678';
	return {
		credentialsHelper: new CrewCredentials(credential),
		hooks: new ExecutionLifecycleHooks('manual', 'execution-1', {
			id: 'workflow-1',
			name: 'Engine test',
			nodes: [],
			connections: {},
			active: false,
			activeVersionId: null,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
		}),
		executionId: 'execution-1',
		currentNodeExecutionIndex: 0,
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: `${base}/`,
		formBaseUrl: `${base}/form`,
		formWaitingBaseUrl: `${base}/form-waiting`,
		formTestBaseUrl: `${base}/form-test`,
		webhookBaseUrl: `${base}/webhook`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		mcpBaseUrl: `${base}/mcp`,
		mcpTestBaseUrl: `${base}/mcp-test`,
		variables: {},
		getRunExecutionData: async () => await Promise.resolve(createEmptyRunExecutionData()),
	} as Partial<IWorkflowExecuteAdditionalData> as IWorkflowExecuteAdditionalData;
}
