import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionView } from '../../../crew-server/src';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import type { Teardown } from '../../../sandbox/src/teardown';
import { waitFor } from '../../../sandbox/src/wait-for';
import { startReceiver, type Receiver } from '../receiver';
import type { Side } from '../row';
import type { Stage } from '../stage';
import { median } from '../statistics';
import {
	crewNode,
	deploy,
	ITEMS,
	MEASURED,
	NEXT,
	NOTHING,
	post,
	runOf,
	urlOf,
	webhook,
	type Part,
} from '../workflows';

/** Milliseconds that the first crew takes. If not all executions are parked by then, the next try takes longer. */
const FIRST_END = 3_000;
const LONGEST_FIRST_END = 96_000;

/** Milliseconds between two ends, so that each is processed before the next. */
const APART = 300;

/**
 * Milliseconds from a crew's end until the node after ours starts: the median of several executions, one after the other.
 * Meanwhile, n8n is not asked anything, since that would take its time.
 */
export const crew: Side = {
	name: 'Crew',
	prepare: async ({ size, stage: open }) => {
		const stage = await open();
		const workflow = await deployCrew(stage);
		return async () => {
			for (let firstEnd = FIRST_END; firstEnd <= LONGEST_FIRST_END; firstEnd *= 2) {
				const times = await endOneByOne(stage, workflow, size, firstEnd);
				if (times !== undefined) return median(times);
			}
			throw new Error('The executions were not parked before their crews ended');
		};
	},
};

/** Parks executions, and returns their times when all crews have ended; `undefined` if one ended too early. */
async function endOneByOne(
	stage: Stage,
	workflow: StoredWorkflow,
	count: number,
	firstEnd: number,
): Promise<number[] | undefined> {
	const before = (await stage.crew.executions()).length;
	const own = async () => (await stage.crew.executions()).slice(before);
	const durations = Array.from({ length: count }, (_, index) => firstEnd + index * APART);
	const ids = await start(stage, workflow, durations);
	const areParked = (await own()).every(({ state }) => state === 'running');
	const timeout = firstEnd + count * APART + 30_000;
	await waitFor('the crews to end and to have called', async () => isOver(stage, await own()), {
		timeout,
	});
	const starts = await startsOfNext(stage, ids);
	const ends = (await own()).map(({ finishedAt = NaN }) => finishedAt);
	return areParked ? starts.map((at, index) => at - (ends[index] ?? NaN)) : undefined;
}

/** Milliseconds from the call of a Wait node's webhook until the next node starts. */
export const wait: Side = {
	name: 'Wait, resumed by webhook',
	prepare: async ({ size, stage: open, teardown }) => {
		const stage = await open();
		const { workflow, receiver } = await deployWait(stage, teardown);
		return async () => {
			const ids = await start(stage, workflow, Array<number>(size).fill(0));
			const calls: number[] = [];
			for (const [index] of ids.entries()) {
				if (index > 0) await sleep(APART);
				const { url } = (await receiver.next()) as { url: string };
				calls.push(Date.now());
				await post(url, { done: true });
			}
			return median(
				(await startsOfNext(stage, ids)).map((at, index) => at - (calls[index] ?? NaN)),
			);
		};
	},
};

const WAIT: Part = {
	name: MEASURED,
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: 'bench-wait',
	parameters: { resume: 'webhook', httpMethod: 'POST' },
};

/** Sends the receiver the URL that wakes the Wait node after it. */
const tellResumeUrl = ({ url }: Receiver): Part => ({
	name: 'Tell',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ JSON.stringify({ url: $execution.resumeUrl }) }}',
	},
});

/** Stores a workflow that waits for its crew. */
export async function deployCrew(stage: Stage): Promise<StoredWorkflow> {
	const node = crewNode(stage.credential, { wait: 'end' });
	return await deploy(stage, [webhook('onReceived'), ITEMS, node, NOTHING]);
}

/** Stores a workflow that sends the receiver its resume URL, and waits in n8n's own Wait node. */
export async function deployWait(
	stage: Stage,
	teardown: Teardown,
): Promise<{ workflow: StoredWorkflow; receiver: Receiver }> {
	const receiver = await startReceiver();
	teardown.add(() => receiver.close());
	const parts = [webhook('onReceived'), ITEMS, tellResumeUrl(receiver), WAIT, NOTHING];
	return { workflow: await deploy(stage, parts), receiver };
}

/** Starts an execution for each duration, each when the one before is waiting; returns their IDs. */
async function start(
	stage: Stage,
	workflow: StoredWorkflow,
	durations: readonly number[],
): Promise<string[]> {
	const ids: string[] = [];
	for (const duration of durations) {
		await post(urlOf(stage, workflow), { durations: [duration] });
		const id = await waitFor('the execution to wait', async () => {
			const newest = await stage.api.newestExecution(workflow.id);
			const isThere = newest?.status === 'waiting' || newest?.status === 'success';
			return isThere && !ids.includes(newest.id) && newest.id;
		});
		ids.push(id);
	}
	return ids;
}

/** Whether these executions of the crew have ended and all their callbacks were sent. */
async function isOver(
	{ crew: deployment }: Stage,
	executions: readonly ExecutionView[],
): Promise<boolean> {
	const own = new Set(executions.map(({ kickoffId }) => kickoffId));
	const calls = (await deployment.callbacks()).filter(({ kickoffId }) => own.has(kickoffId));
	const told = new Set(
		calls.filter(({ kind }) => kind === 'crew').map(({ kickoffId }) => kickoffId),
	);
	return told.size === own.size && calls.every(({ fate }) => fate !== 'due');
}

/** When the node after the one that waited has started, in each execution. */
async function startsOfNext(stage: Stage, ids: readonly string[]): Promise<number[]> {
	const starts: number[] = [];
	for (const id of ids) {
		const execution = await stage.api.waitForExecution(id);
		if (execution.status !== 'success')
			throw new Error(`An execution ended as ${execution.status}`);
		starts.push(runOf(execution, NEXT).startTime);
	}
	return starts;
}
