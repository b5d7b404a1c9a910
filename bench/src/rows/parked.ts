import type { ExecutionStatus } from 'n8n-workflow';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import { waitFor } from '../../../sandbox/src/wait-for';
import type { Comparison } from '../figures';
import type { Bench, Row } from '../row';
import { WITHOUT_EXPRESSION_SANDBOX, type Stage } from '../stage';
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

/** A way to wait for a crew. */
interface Way {
	contender: string;
	deploy: (stage: Stage) => Promise<StoredWorkflow>;
	/** The largest ratio of ours to this that is wanted. */
	most?: number;
}

interface Size {
	count: number;
	/** Milliseconds. */
	time: number;
}

/** n8n is at rest where it has worked less than `work` milliseconds within so many. */
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
	let held = 0;
	const begun = async () => {
		// The loop pauses within the running execution.
		const status: ExecutionStatus[] = ['waiting', 'running'];
		held = (await stage.api.listExecutions({ workflowId: workflow.id, status })).length;
		return held === size.count;
	};
	await waitFor('all executions to be held', begun, {
		timeout: 240_000,
		interval: 1_000,
		describe: () => `${held} of ${size.count}`,
	});
	await untilAtRest(stage, 30_000);
	const before = await stage.usage();
	await new Promise((resolve) => setTimeout(resolve, size.time));
	const { cpu, rss } = await stage.usage();
	return { cpu: cpu - before.cpu, memory: rss / 1024 ** 2 };
}

const chain = (part: (stage: Stage) => Part) => async (stage: Stage) =>
	await deploy(stage, [webhook('onReceived'), ITEMS, part(stage), NOTHING]);

const CREW: Way = {
	contender: 'Crew',
	deploy: chain(({ credential }) => crewNode(credential, { wait: 'callback' })),
};
const WAIT_NODE: Way = { contender: 'Wait', deploy: chain(() => WAIT), most: 1.1 };
const LOOP: Way = {
	contender: 'asking every 5 s with n8n’s own nodes',
	deploy: deployPollingLoop,
};

const USUAL = { settings: {}, suffix: '' };

async function compare(
	bench: Bench,
	size: Size,
	rivals: readonly Way[],
	{ settings, suffix }: { settings: Record<string, string>; suffix: string } = USUAL,
): Promise<Comparison[]> {
	const holdOnNewStage = async (way: Way): Promise<Way & Held> => {
		const held = await bench.withOwnStage(
			settings,
			async (stage) => await hold(stage, await way.deploy(stage), size),
		);
		const { memory, cpu } = held;
		bench.log(`${way.contender}: ${memory.toFixed(0)} MB, ${cpu.toFixed(0)} ms of CPU time`);
		return { ...way, ...held };
	};
	const crew = await holdOnNewStage(CREW);
	const others: Array<Way & Held> = [];
	for (const rival of rivals) others.push(await holdOnNewStage(rival));
	const line = (what: 'cpu' | 'memory', measure: string, unit: string): Comparison => ({
		measure: `${size.count} waiting executions, ${measure}${suffix}`,
		unit,
		ours: { contender: crew.contender, rounds: [crew[what]] },
		rivals: others.map(({ contender, most, [what]: figure }) => ({
			contender,
			most,
			rounds: [figure],
		})),
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
	run: async (bench) => {
		// A loop needs minutes to settle: it is no part of a quick run.
		if (bench.isQuick) return await compare(bench, { count: 50, time: 10_000 }, [WAIT_NODE]);
		const size = { count: 500, time: 60_000 };
		return [
			...(await compare(bench, size, [WAIT_NODE, LOOP])),
			...(await compare(bench, size, [WAIT_NODE], WITHOUT_EXPRESSION_SANDBOX)),
		];
	},
};
