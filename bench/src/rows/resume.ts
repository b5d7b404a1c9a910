import type { ExecutionSummary, StoredWorkflow } from '../../../sandbox/src/n8n-api';
import { waitFor } from '../../../sandbox/src/wait-for';
import { startReceiver, type Receiver } from '../receiver';
import type { Comparison } from '../figures';
import { measureInTurn, type Row } from '../row';
import { USUAL_LATENCY, withLatency, type Stage } from '../stage';
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

/** Milliseconds: long enough that the execution is parked and was looked at. */
const DURATION = 5_000;

async function parked(stage: Stage, workflow: StoredWorkflow): Promise<ExecutionSummary> {
	return await waitFor('the execution to be parked', async () => {
		const newest = await stage.api.newestExecution(workflow.id);
		return newest?.status === 'waiting' && newest;
	});
}

/** Milliseconds from when the crew has ended until the node behind ours starts. */
async function measureCrew(stage: Stage, workflow: StoredWorkflow): Promise<number> {
	await post(urlOf(stage, workflow), { durations: [DURATION] });
	const { id } = await parked(stage, workflow);
	const execution = await stage.api.waitForExecution(id);
	const ended = stage.crew.executions().at(-1)?.tasks.at(-1)?.finishedAt ?? NaN;
	return runOf(execution, NEXT).startTime - ended;
}

/** Tells the receiver where the Wait node behind it is woken. */
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

const WAIT: Part = {
	name: MEASURED,
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: 'bench-wait',
	parameters: { resume: 'webhook', httpMethod: 'POST' },
};

/** Milliseconds from the call of the Wait node's webhook until the node behind it starts. */
async function measureWait(
	stage: Stage,
	workflow: StoredWorkflow,
	receiver: Receiver,
): Promise<number> {
	await post(urlOf(stage, workflow), { durations: [DURATION] });
	const { url } = (await receiver.next()) as { url: string };
	const { id } = await parked(stage, workflow);
	const called = Date.now();
	await post(url, { done: true });
	const execution = await stage.api.waitForExecution(id);
	return runOf(execution, NEXT).startTime - called;
}

export const resume: Row = {
	name: 'resume',
	about: 'from the end of the crew to the start of the next node, waiting for the callback',
	run: async (bench) => {
		const stage = await bench.stage('callbacks');
		const receiver = await startReceiver();
		bench.teardown.add(() => receiver.close());
		const start = webhook('onReceived');
		const ours = crewNode(stage.credential, { wait: 'callback' });
		const crew = await deploy(stage, [start, ITEMS, ours, NOTHING]);
		const parts = [webhook('onReceived'), ITEMS, tellResumeUrl(receiver), WAIT, NOTHING];
		const wait = await deploy(stage, parts);
		const contenders = [
			{ name: 'Crew', measure: async () => await measureCrew(stage, crew) },
			{ name: 'Wait', measure: async () => await measureWait(stage, wait, receiver) },
		];
		const comparisons: Comparison[] = [];
		// The question for the result takes a crew's latency, of which the Wait node knows nothing.
		for (const latency of bench.isQuick ? [USUAL_LATENCY] : [USUAL_LATENCY, 0]) {
			const measure = `from the end of the crew to the next node, crew answers after ${latency} ms`;
			const figuresOf = await withLatency(
				stage,
				latency,
				async () => await measureInTurn(bench, measure, contenders, 5),
			);
			comparisons.push({
				measure,
				unit: 'ms',
				ours: figuresOf('Crew'),
				rivals: [{ ...figuresOf('Wait'), contender: 'Wait, resumed by webhook', most: 1.15 }],
			});
		}
		return comparisons;
	},
};
