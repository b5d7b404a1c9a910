import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters, ITaskData } from 'n8n-workflow';
import type { Execution, StoredCredential, StoredWorkflow } from '../../sandbox/src/n8n-types';
import type { Stage } from './stage';

/** A node of a workflow, without the fields that every node has. */
export type Part = Pick<INode, 'name' | 'type' | 'typeVersion'> &
	Partial<INode> & { parameters: INodeParameters };

/** The duration of crews in milliseconds, if none should end or call during the measurement. */
export const ENDLESS = 3_600_000;

/** The names of the measured node, and of the one after it. */
export const MEASURED = 'Measured';
export const NEXT = 'Next';

/** The workflow's trigger, which answers at once or when the workflow has ended. */
export function webhook(responseMode: 'onReceived' | 'lastNode'): Part {
	const webhookId = randomUUID();
	return {
		name: 'Start',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId,
		parameters: {
			httpMethod: 'POST',
			path: webhookId,
			responseMode,
			...(responseMode === 'lastNode' ? { responseData: 'noData' } : {}),
		},
	};
}

/** One item for each of the durations that the request names. */
export const ITEMS: Part = {
	name: 'Items',
	type: 'n8n-nodes-bench.benchItems',
	typeVersion: 1,
	parameters: {},
};

export const NOTHING: Part = {
	name: NEXT,
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

/** Our node with a kickoff; `duration` is the value of that field. */
export function crewNode(
	credential: StoredCredential,
	parameters: INodeParameters = {},
	duration: string | number = '={{ $json.duration }}',
): Part {
	const field = (id: string, type: string) => ({
		id,
		displayName: id,
		required: true,
		defaultMatch: false,
		display: true,
		type,
	});
	const inputs = {
		mappingMode: 'defineBelow',
		value: { topic: '={{ $json.topic }}', duration },
		schema: [field('topic', 'string'), field('duration', 'number')],
	} as INodeParameters;
	return {
		name: MEASURED,
		type: 'n8n-nodes-crew.crew',
		typeVersion: 1,
		parameters: {
			operation: 'kickoff',
			specifyInputs: 'fields',
			inputs,
			wait: 'no',
			...parameters,
		},
		credentials: { crewApi: credential },
	};
}

/** Our trigger for one kind of callback. */
export function crewTriggerNode(credential: StoredCredential, event: string): Part {
	return {
		...webhook('onReceived'),
		type: 'n8n-nodes-crew.crewTrigger',
		typeVersion: 2,
		parameters: { events: [event] },
		credentials: { crewApi: credential },
	};
}

/** n8n's own HTTP Request node, with one of its authentication methods. */
export function httpNode(
	parameters: INodeParameters,
	type: 'crewApi' | 'httpBearerAuth',
	credential: StoredCredential,
): Part {
	const authentication =
		type === 'crewApi'
			? { authentication: 'predefinedCredentialType', nodeCredentialType: type }
			: { authentication: 'genericCredentialType', genericAuthType: type };
	return {
		name: MEASURED,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { ...authentication, ...parameters },
		credentials: { [type]: credential },
	};
}

/** As many bare requests through n8n's own helper; `parameters` are those of the node `benchFloor`. */
export function floorNode(credential: StoredCredential, parameters: INodeParameters = {}): Part {
	return {
		name: MEASURED,
		type: 'n8n-nodes-bench.benchFloor',
		typeVersion: 1,
		parameters,
		credentials: { crewApi: credential },
	};
}

/** Parameters of the HTTP Request node for a kickoff; `inputs` becomes part of an expression. */
export function httpKickoff(crewUrl: string, inputs: string): INodeParameters {
	return {
		method: 'POST',
		url: `${crewUrl}/kickoff`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify({ inputs: ${inputs} }) }}`,
		options: {},
	};
}

/** Stores a workflow of these nodes, one after the other, and activates it. */
export async function deploy(
	{ api, deployed }: Stage,
	parts: readonly Part[],
): Promise<StoredWorkflow> {
	const nodes = parts.map((part, index): INode => ({
		id: randomUUID(),
		position: [index * 200, 0],
		...part,
	}));
	const connections: StoredWorkflow['connections'] = {};
	for (const [index, { name }] of nodes.entries()) {
		const next = nodes[index + 1];
		if (next) connections[name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
	}
	const workflow = await api.createWorkflow({ name: `Bench ${randomUUID()}`, nodes, connections });
	await api.activateWorkflow(workflow);
	deployed.push(workflow);
	return workflow;
}

/** The URL that starts a deployed workflow. */
export function urlOf({ api }: Stage, { nodes: [trigger] }: StoredWorkflow): string {
	const url = trigger && api.productionUrl(trigger);
	if (url === undefined) throw new Error('This workflow has no URL to start it');
	return url;
}

/** Posts JSON, and waits for the answer. */
export async function post(url: string, body: unknown): Promise<void> {
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${text}`);
}

/** Runs a deployed workflow to its end, and returns the execution. */
export async function runToEnd(
	stage: Stage,
	workflow: StoredWorkflow,
	durations: readonly number[],
): Promise<Execution> {
	await post(urlOf(stage, workflow), { durations });
	const newest = await stage.api.newestExecution(workflow.id);
	if (newest === undefined) throw new Error('n8n has no execution of this workflow');
	const execution = await stage.api.waitForExecution(newest.id);
	if (execution.status !== 'success') {
		const { error } = execution.data.resultData;
		throw new Error(`The execution ended as ${execution.status}: ${error?.message ?? ''}`);
	}
	return execution;
}

/** A node's last run in an execution. */
export function runOf(execution: Execution, name: string): ITaskData {
	const run = execution.data.resultData.runData[name]?.at(-1);
	if (run === undefined) throw new Error(`The node ${name} did not run`);
	return run;
}
