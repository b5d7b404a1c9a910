import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import { waitFor } from '../../../sandbox/src/wait-for';
import type { Comparison } from '../figures';
import type { Bench, Row } from '../row';
import type { Stage } from '../stage';
import {
	crewNode,
	deploy,
	ENDLESS,
	ITEMS,
	NOTHING,
	post,
	urlOf,
	webhook,
	type Part,
} from '../workflows';
import { deployPollingLoop } from './pollingLoop';

const AT_ONCE = 10;

const WAIT: Part = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: 'bench-parked',
	parameters: { resume: 'webhook', httpMethod: 'POST', limitWaitTime: true, resumeAmount: 1 },
};

interface Held {
	/** Milliseconds of CPU time while they were held. */
	cpu: number;
	/** Megabytes of memory at the end. */
	memory: number;
}

interface Size {
	count: number;
	/** Milliseconds. */
	time: number;
}

/** Milliseconds in which n8n works less than this, in milliseconds, count as rest. */
const REST = { within: 3_000, work: 300 };

/** Waits until n8n has done what starting the executions left it to do; a polling loop never rests. */
async function untilAtRest(stage: Stage, limit: number): Promise<void> {
	const until = Date.now() + limit;
	for (let worked = Infinity; worked > REST.work && Date.now() < until;) {
		const before = await stage.usage();
		await new Promise((resolve) => setTimeout(resolve, REST.within));
		worked = (await stage.usage()).cpu - before.cpu;
	}
}

/** Starts so many executions, and looks at what n8n needs to hold them for a while. */
async function hold(stage: Stage, workflow: StoredWorkflow, size: Size): Promise<Held> {
	let left = size.count;
	const start = async () => {
		while (left-- > 0) await post(urlOf(stage, workflow), { durations: [ENDLESS] });
	};
	await Promise.all(Array.from({ length: AT_ONCE }, start));
	let statuses: string[] = [];
	const begun = async () => {
		const all = await stage.api.listExecutions({ workflowId: workflow.id });
		statuses = all.map(({ status }) => status);
		const held = statuses.filter((status) => status === 'waiting' || status === 'running');
		// One that goes on while they are listed may be missed.
		return held.length > size.count * 0.98 && !statuses.includes('new');
	};
	await waitFor('all executions to be held', begun, {
		timeout: 240_000,
		interval: 1_000,
		describe: () => `${statuses.length} executions: ${[...new Set(statuses)].join(', ')}`,
	});
	await untilAtRest(stage, 30_000);
	const before = await stage.usage();
	await new Promise((resolve) => setTimeout(resolve, size.time));
	const { cpu, rss } = await stage.usage();
	return { cpu: cpu - before.cpu, memory: rss / 1024 ** 2 };
}

async function holdOnNewStage(
	bench: Bench,
	name: string,
	size: Size,
	deployOn: (stage: Stage) => Promise<StoredWorkflow>,
): Promise<Held> {
	const stage = await bench.newStage();
	const held = await hold(stage, await deployOn(stage), size);
	await stage.stop();
	bench.log(`${name}: ${held.memory.toFixed(0)} MB, ${held.cpu.toFixed(0)} ms of CPU time`);
	return held;
}

async function compare(bench: Bench): Promise<Comparison[]> {
	const size = bench.isQuick ? { count: 50, time: 10_000 } : { count: 500, time: 60_000 };
	const chain = (part: (stage: Stage) => Part) => async (stage: Stage) =>
		await deploy(stage, [webhook('onReceived'), ITEMS, part(stage), NOTHING]);
	const ours = chain(({ credential }) => crewNode(credential, { wait: 'callback' }));
	const crew = await holdOnNewStage(bench, 'Crew', size, ours);
	const wait = await holdOnNewStage(
		bench,
		'Wait',
		size,
		chain(() => WAIT),
	);
	// A loop needs minutes to settle: it is no part of a quick run.
	const loop = bench.isQuick
		? undefined
		: await holdOnNewStage(bench, 'Polling loop', size, deployPollingLoop);
	const line = (what: 'cpu' | 'memory', measure: string, unit: string): Comparison => ({
		measure: `${size.count} waiting executions, ${measure}`,
		unit,
		ours: { contender: 'Crew', rounds: [crew[what]] },
		rivals: [
			{ contender: 'Wait', rounds: [wait[what]], most: 1.1 },
			...(loop
				? [{ contender: 'asking every 5 s with n8n’s own nodes', rounds: [loop[what]] }]
				: []),
		],
	});
	return [
		line('memory', 'n8n’s memory', 'MB'),
		line('cpu', `n8n’s CPU time in ${size.time / 1_000} s`, 'ms'),
	];
}

export const parkedExecutions: Row = {
	name: 'parked',
	about: 'what 500 waiting executions cost n8n',
	isLong: true,
	run: compare,
};
