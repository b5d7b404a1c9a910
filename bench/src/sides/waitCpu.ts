import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { waitFor } from '../../../sandbox/src/wait-for';
import type { Side } from '../row';
import type { Stage } from '../stage';
import { post, urlOf } from '../workflows';
import { deployCrew, deployWait } from './resume';

/** Milliseconds that the first crew takes: by then, all executions are waiting, and n8n has asked each crew once. */
const FIRST_END = 6_000;
/** Milliseconds between two ends, on both sides: ends at the same time cost n8n more isolates. */
const APART = 250;

/** Milliseconds of n8n's CPU time for one execution that waits for a crew and is ended by its callback. */
export const crew: Side = {
	name: 'Crew',
	prepare: async ({ size, stage: open }) => {
		const stage = await open();
		const workflow = await deployCrew(stage);
		return async () => await cpuOfEach(stage, workflow, size, () => Promise.resolve());
	},
};

/** The same for an execution that sends its resume URL, waits in n8n's Wait node and is ended by a call. */
export const wait: Side = {
	name: 'Wait, resumed by webhook',
	prepare: async ({ size, stage: open, teardown }) => {
		const stage = await open();
		const { workflow, receiver } = await deployWait(stage, teardown);
		return async () =>
			await cpuOfEach(stage, workflow, size, async () => {
				await waitForStatus(stage, workflow, 'waiting', size);
				for (let index = 0; index < size; index++) {
					await sleep(APART);
					const { url } = (await receiver.next()) as { url: string };
					await post(url, { done: true });
				}
			});
	},
};

/** Starts executions, lets `end` end them, and divides n8n's CPU time by their number. */
async function cpuOfEach(
	stage: Stage,
	workflow: StoredWorkflow,
	count: number,
	end: () => Promise<void>,
): Promise<number> {
	const successes = { workflowId: workflow.id, status: ['success' as const] };
	const { length: endedBefore } = await stage.api.listExecutions(successes);
	const { cpu: before } = await stage.usage();
	for (let index = 0; index < count; index++) {
		await post(urlOf(stage, workflow), { durations: [FIRST_END + index * APART] });
	}
	await end();
	await waitForStatus(stage, workflow, 'success', endedBefore + count);
	return ((await stage.usage()).cpu - before) / count;
}

/** Asks n8n only once a second, since answering takes its time, too. */
async function waitForStatus(
	{ api }: Stage,
	{ id: workflowId }: StoredWorkflow,
	status: 'waiting' | 'success',
	count: number,
): Promise<void> {
	const areThere = async () =>
		(await api.listExecutions({ workflowId, status: [status] })).length === count;
	await waitFor(`${count} executions with the status ${status}`, areThere, {
		timeout: 60_000,
		interval: 1_000,
	});
}
