import type { IDataObject } from 'n8n-workflow';
import type { ImportedExample } from './examples';
import type { N8nApi } from './n8n-api';
import type { Execution, StoredWorkflow } from './n8n-types';
import type { N8nProcess } from './n8n-process';
import { outputOf } from './run-data';
import type { Sandbox } from './sandbox';
import { waitFor } from './wait-for';

/** The two examples that belong together: the first kicks off a crew whose callback starts the second. */
const FIRST_EXAMPLE = 'kickoff-with-a-callback.json';
export const SECOND_EXAMPLE = 'start-from-a-callback.json';

/** Whether the two are as they were imported. Only the user runs those that they have changed. */
export function isFirstExampleAsImported(workflows: Map<string, ImportedExample>): boolean {
	return [FIRST_EXAMPLE, SECOND_EXAMPLE].every((file) => workflows.get(file)?.isUsers === false);
}

export interface FirstExampleRun {
	kickoff: Execution;
	callback: Execution;
	/** What came out of the first example's last node. */
	started: IDataObject;
	/** What came out of the second example's last node. */
	result: IDataObject;
}

/** Runs the first example and waits for the second one's execution that its crew started. */
export async function runFirstExample(
	{ api, n8n }: Pick<Sandbox, 'api'> & { n8n: Pick<N8nProcess, 'logFile'> },
	workflows: Map<string, StoredWorkflow>,
	log: (line: string) => void = () => undefined,
): Promise<FirstExampleRun> {
	const first = named(workflows, FIRST_EXAMPLE);
	const second = named(workflows, SECOND_EXAMPLE);
	log(`Running "${first.name}" ...`);
	const kickoff = await api.waitForExecution(await api.runWorkflow(first));
	assertSuccess(kickoff, first);
	const started = onlyItem(kickoff, 'Note the Run');
	log(describe(kickoff, started));

	log(`Waiting for "${second.name}" ...`);
	const callback = await waitFor(
		`the crew's callback to start "${second.name}" (n8n's log: ${n8n.logFile})`,
		() => findCallback(api, second, started['kickoff_id']),
	);
	assertSuccess(callback, second);
	const result = onlyItem(callback, 'The Result');
	log(describe(callback, result));
	return { kickoff, callback, started, result };
}

/** A home that is used again has executions of earlier runs: the kickoff's id tells them apart. */
async function findCallback(
	api: N8nApi,
	{ id }: StoredWorkflow,
	kickoffId: unknown,
): Promise<Execution | undefined> {
	for (const { id: executionId, status } of await api.listExecutions({ workflowId: id })) {
		if (status === 'running' || status === 'new') continue;
		const execution = await api.getExecution(executionId);
		const [event] = outputOf(execution, 'When a Crew Is Done');
		if (event?.json['kickoff_id'] === kickoffId) return execution;
	}
	return undefined;
}

function named(workflows: Map<string, StoredWorkflow>, file: string): StoredWorkflow {
	const workflow = workflows.get(file);
	if (workflow === undefined) throw new Error(`The example ${file} was not imported`);
	return workflow;
}

function assertSuccess({ id, status, data }: Execution, { name }: StoredWorkflow): void {
	if (status === 'success') return;
	const reason = data.resultData.error?.message ?? 'n8n gives no reason';
	throw new Error(`"${name}" (execution ${id}) ended as ${status}: ${reason}`);
}

function onlyItem(execution: Execution, nodeName: string): IDataObject {
	const items = outputOf(execution, nodeName);
	const [item] = items;
	if (item === undefined || items.length > 1) {
		throw new Error(
			`"${nodeName}" gave ${items.length} items in execution ${execution.id}: one was expected`,
		);
	}
	return item.json;
}

function describe({ id, workflowId, status }: Execution, item: IDataObject): string {
	const json = JSON.stringify(item, null, 2).replaceAll('\n', '\n  ');
	return `  execution ${id} of workflow ${workflowId}: ${status}\n  ${json}`;
}
