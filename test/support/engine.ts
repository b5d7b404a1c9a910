import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads both while it loads. Otherwise, it would write to the home folder.
const userFolder = mkdtempSync(join(tmpdir(), 'crew-engine-'));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'only-for-the-engine-tests';
afterAll(() => {
	rmSync(userFolder, { recursive: true, force: true });
});

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
import { EngineNodeTypes, LOOP_TYPE, START_TYPE } from './engineNodeTypes';

/** What a test sets of a node; the rest is the same for all. */
export interface CrewNode {
	/** `Crew` by default. */
	name?: string;
	parameters: Record<string, NodeParameterValueType>;
	type?: string;
	settings?: Partial<
		Pick<
			INode,
			'continueOnFail' | 'executeOnce' | 'maxTries' | 'onError' | 'retryOnFail' | 'waitBetweenTries'
		>
	>;
}

export interface EngineRun {
	run: IRun;
	/** Items of the node's outputs; the second output is the error output. */
	outputs: INodeExecutionData[][];
	/** The first output's items' content. */
	json: Array<INodeExecutionData['json']>;
	/** The error that n8n shows at the node, if the workflow stopped there. */
	error?: {
		message: string;
		description?: string | null;
		httpCode?: string | null;
		item?: unknown;
	};
}

/** Of the node under test, if it is a trigger. */
export const WEBHOOK_ID = '0d4b7c1e-2f65-4e0b-9a43-5c8e1f2d3b4a';

export const CREDENTIAL = {
	baseUrl: 'https://crew.example.com',
	accessToken: 'organisation-token',
	callbackSecret: '',
};

/** The address of the n8n in these tests. */
export const N8N_URL = 'https://n8n.example.com';

export interface EngineOptions {
	items?: Array<INodeExecutionData['json']>;
	credential?: Partial<typeof CREDENTIAL>;
	/** Aborts the execution, like a person who presses stop. */
	cancel?: AbortSignal;
	/** The address of n8n's webhooks. */
	n8nUrl?: string;
	/** The type of Start that others see in the workflow. */
	trigger?: Pick<INode, 'type' | 'parameters'>;
	/** How often a loop runs the node, with its output as the next input. */
	rounds?: number;
}

/**
 * Runs `Start -> Crew` on n8n's real engine.
 *
 * @param node the Crew node's parameters and settings
 * @param options with the items from Start; one empty item by default
 */
export async function runCrew(node: CrewNode, options: EngineOptions = {}): Promise<EngineRun> {
	const { items, rounds, trigger, cancel } = options;
	const workflow = createWorkflow(node, items, rounds, trigger);
	const execution = new WorkflowExecute(dataOf(options), 'manual');
	const running = execution.run({ workflow, startNode: workflow.getNode('Start')! });
	cancel?.addEventListener('abort', () => {
		running.cancel();
	});
	return readRun(await running, node.name);
}

/** n8n's additional data of an execution with these options. */
export function dataOf({ credential, n8nUrl }: EngineOptions): IWorkflowExecuteAdditionalData {
	return additionalData({ ...CREDENTIAL, ...credential }, n8nUrl);
}

/** The output of the Crew node's last run. */
export function readRun(run: IRun, name = 'Crew'): EngineRun {
	const task = run.data.resultData.runData[name]?.at(-1);
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

export function createWorkflow(
	node: CrewNode,
	items: EngineOptions['items'] = [{}],
	rounds = 1,
	trigger: EngineOptions['trigger'] = { type: START_TYPE, parameters: {} },
): Workflow {
	const { name = 'Crew' } = node;
	const nodes: INode[] = [
		{
			id: 'start',
			name: 'Start',
			type: trigger.type,
			typeVersion: 1,
			position: [0, 0],
			parameters: { ...trigger.parameters, items: JSON.stringify(items) },
		},
		{
			id: 'crew',
			webhookId: WEBHOOK_ID,
			name,
			type: node.type ?? 'n8n-nodes-crew.crew',
			typeVersion: 1,
			position: [200, 0],
			parameters: node.parameters,
			credentials: { crewApi: { id: '1', name: 'Crew API' } },
			...node.settings,
		},
		{
			id: 'loop',
			name: 'Loop',
			type: LOOP_TYPE,
			typeVersion: 1,
			position: [400, 0],
			parameters: { rounds },
		},
	];
	const toCrew = { main: [[{ node: name, type: 'main' as const, index: 0 }]] };
	const connections: IConnections = {
		Start: toCrew,
		[name]: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
		Loop: toCrew,
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
	base = N8N_URL,
): IWorkflowExecuteAdditionalData {
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
