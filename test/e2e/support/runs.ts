import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { CrewServer } from '../../../crew-server/src';
import type { Execution, StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { outputOf } from '../../../sandbox/src/run-data';
import type { Sandbox } from '../../../sandbox/src/sandbox';
import { waitFor } from '../../../sandbox/src/wait-for';
import { crewWorkflow, NODES } from './crewWorkflow';

type Running = Pick<Sandbox, 'api' | 'credential'>;

/** Stores and activates a workflow with one Crew node, and nodes after it; `start` runs it with the given items. */
export async function activateCrewWorkflow(
	{ api, credential }: Running,
	parameters: INodeParameters,
	further: readonly INode[] = [],
): Promise<{ workflow: StoredWorkflow; start: (items: IDataObject[]) => Promise<void> }> {
	const workflow = await api.createWorkflow(crewWorkflow(credential, parameters, {}, further));
	await api.activateWorkflow(workflow);
	return { workflow, start: startOf({ api }, workflow) };
}

/** Returns a function that runs an active workflow, which starts with a Webhook, with the given items. */
export function startOf(
	{ api }: Pick<Running, 'api'>,
	workflow: StoredWorkflow,
): (items: IDataObject[]) => Promise<void> {
	const url = api.productionUrl(workflow.nodes[0]!)!;
	return async (items) => {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ items }),
		});
		if (!answer.ok) throw new Error(`n8n answered ${answer.status} to the start of a run`);
	};
}

/** The content of the items that came out of the workflow's last node. */
export function results(execution: Execution): IDataObject[] {
	return outputOf(execution, NODES.after).map(({ json }) => json);
}

/**
 * Waits until the node asks for the status of the crew's execution about this topic, and returns that execution. By then,
 * the node knows its ID.
 */
export async function waitUntilAsked(crew: CrewServer, topic: string) {
	return await waitFor('the node to ask for the status', async () => {
		const execution = (await crew.executions()).find(({ inputs }) => inputs.topic === topic);
		const isAsked = crew
			.requests()
			.some(({ path }) => path.includes('status') && path.includes(execution?.kickoffId ?? ' '));
		return isAsked && execution;
	});
}

/** Waits until an execution of the workflow is parked, and gives its ID. */
export async function waitUntilParked(
	{ api }: Running,
	{ id: workflowId }: StoredWorkflow,
): Promise<string> {
	return await waitFor('an execution to be parked', async () => {
		const executions = await api.listExecutions({ workflowId });
		return executions.find(({ status }) => status === 'waiting')?.id;
	});
}
