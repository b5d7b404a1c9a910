import type { IDataObject, INode } from 'n8n-workflow';
import { tokenFor } from '../../../nodes/Crew/callbacks/token';
import type { CrewServer } from '../../../crew-server/src';
import { credentialFor } from '../../../sandbox/src/crew-credential';
import type { N8nApi } from '../../../sandbox/src/n8n-api';
import type { Execution, StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { outputOf } from '../../../sandbox/src/run-data';
import { DELIVERIES, type Delivery } from './deliveries';
import { settle, type Meaning } from './fixtures';
import { crewNodes } from './savedWorkflow';

/** The environment of saved workflows: the real n8n, and the crews of their credentials. */
export interface SavedSurroundings {
	api: N8nApi;
	crews: readonly CrewServer[];
}

/** Milliseconds; long enough for a parked execution, which n8n checks once a minute. */
const TIME_LIMIT = 100_000;

/** What a workflow does, without its parameters. */
export type Done = Omit<Meaning, 'parameters'>;

/**
 * Runs a stored workflow once: from its Manual Trigger, or by calling its Crew Trigger. A workflow with neither does
 * nothing.
 *
 * @throws if an execution does not end in success
 */
export async function runInN8n(
	surroundings: SavedSurroundings,
	workflow: StoredWorkflow,
): Promise<Done> {
	const { api, crews } = surroundings;
	const before = crews.map((crew) => crew.requests().length);
	const isManual = workflow.nodes.some(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	const runs = isManual
		? await runFromStart(api, workflow)
		: await runFromTrigger(surroundings, workflow);
	const sent = crews
		.flatMap((crew, index) => crew.requests().slice(before[index]))
		.filter(({ method }) => method === 'POST')
		.map(({ path, body }) => ({ path, body: body as IDataObject | undefined }));
	return settle({ sent, runs }, api.webhookUrl);
}

async function runFromStart(api: N8nApi, workflow: StoredWorkflow): Promise<Done['runs']> {
	const id = await api.runWorkflow(workflow);
	const execution = await api.waitForExecution(id, undefined, { timeout: TIME_LIMIT });
	assertSuccess(execution, workflow);
	return Object.fromEntries(
		crewNodes(workflow).map(({ name }) => {
			const before = Object.keys(workflow.connections).find(
				(from) => workflow.connections[from]?.['main']?.[0]?.[0]?.node === name,
			);
			const input = jsonOf(execution, before ?? '');
			return [name, { input, output: jsonOf(execution, name) }];
		}),
	);
}

/** Starts the workflow with each of the callbacks for its trigger, one after the other. */
async function runFromTrigger(
	{ api, crews }: SavedSurroundings,
	workflow: StoredWorkflow,
): Promise<Done['runs']> {
	const trigger = workflow.nodes.find(({ type }) => type === 'n8n-nodes-crew.crewTrigger');
	if (!trigger) return {};
	await api.activateWorkflow(workflow);
	const [newest] = (await crews[0]?.executions()) ?? [];
	const deliveries = DELIVERIES(newest?.kickoffId ?? '');
	const output: IDataObject[] = [];
	let count = 0;
	for (const delivery of deliveries) {
		const started = await deliver(api, trigger, delivery);
		if (!started) continue;
		count += 1;
		const [execution] = await api.waitForExecutionsOf(workflow.id, count);
		if (!execution) continue;
		assertSuccess(execution, workflow);
		output.push(...jsonOf(execution, trigger.name));
	}
	await api.deactivateWorkflow(workflow.id);
	return { [trigger.name]: { input: deliveries.map((one) => ({ ...one })), output } };
}

/** @returns whether the callback started the workflow */
async function deliver(api: N8nApi, trigger: INode, { kind, body }: Delivery): Promise<boolean> {
	const url = api.productionUrl(trigger) ?? '';
	const { callbackSecret } = credentialFor({ url: '', accessToken: '' });
	const token = tokenFor(callbackSecret, kind, url);
	const answer = await fetch(`${url}?callback=${kind}&token=${token}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(`The trigger answered ${answer.status}: ${await answer.text()}`);
	return ((await answer.json()) as { message: string }).message === 'Received';
}

function jsonOf(execution: Execution, nodeName: string): IDataObject[] {
	return outputOf(execution, nodeName).map(({ json }) => json);
}

function assertSuccess({ status, data }: Execution, { name }: StoredWorkflow): void {
	if (status === 'success') return;
	throw new Error(`${name} ended as ${status}: ${data.resultData.error?.message ?? ''}`);
}
