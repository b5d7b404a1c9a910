import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import type { Measure, Side } from '../row';
import type { Stage } from '../stage';
import { median } from '../statistics';
import {
	crewNode,
	deploy,
	ENDLESS,
	floorNode,
	httpKickoff,
	httpNode,
	ITEMS,
	MEASURED,
	post,
	runOf,
	runToEnd,
	urlOf,
	webhook,
	type Part,
} from '../workflows';

/** Our node, with the same request bodies as the others unless `options` say otherwise. */
export function crew(name = 'Crew', options: Record<string, number | boolean> = {}): Side {
	const all = { n8nMeta: false, ...options };
	return kickoffs(name, ({ credential }) => crewNode(credential, { options: all }, ENDLESS));
}

export const httpRequest = kickoffs(
	'HTTP Request, same credential',
	({ credential, crew: { url } }) => httpNode(httpKickoff(url, INPUTS), 'crewApi', credential),
);

/** Only the requests, a number of them at once. */
export function floor(atOnce: number): Side {
	return kickoffs(`the requests alone, ${atOnce} at once`, ({ credential }) =>
		floorNode(credential, { atOnce }),
	);
}

/** Our node with a fixed number of requests at once. */
export function crewAtOnce(maxParallel: number): Side {
	return crew(`Crew, Max Parallel Requests ${maxParallel}`, { maxParallel });
}

/** The side whose warm-up figure is the smallest; all of them are warmed up. */
export function bestOf(name: string, sides: readonly Side[]): Side {
	return {
		name,
		prepare: async (place) => {
			const measures: Measure[] = [];
			for (const { prepare } of sides) measures.push(await prepare(place));
			let best: Measure | undefined;
			return async () => {
				if (best) return await best();
				const figures: number[] = [];
				for (const measure of measures) figures.push(await measure());
				const smallest = Math.min(...figures);
				best = measures[figures.indexOf(smallest)];
				return smallest;
			};
		},
	};
}

/** How many requests the kickoffs took, including refused ones. */
export const crewRequests = kickoffs(
	'Crew',
	({ credential }) => crewNode(credential, { options: { n8nMeta: false } }, ENDLESS),
	async (stage, workflow, count) => {
		const before = lastRequest(stage);
		await timeOf(stage, workflow, count);
		return lastRequest(stage) - before;
	},
);

/** The most memory that n8n's process has while the node kicks off all crews and waits for their ends, in megabytes. */
export const peakOfJoin = kickoffs(
	'Crew, waiting for all',
	({ credential }) =>
		crewNode(credential, { wait: 'end', options: { noticeBy: 'polling' } }, SHORT),
	async (stage, workflow, count) => await peakDuring(stage, joinAll(stage, workflow, count)),
);

/** The same while HTTP Request kicks off as many, and waits for none. */
export const peakOfHttpRequest = kickoffs(
	'HTTP Request, without waiting',
	({ credential, crew: { url } }) => httpNode(httpKickoff(url, INPUTS), 'crewApi', credential),
	async (stage, workflow, count) => await peakDuring(stage, timeOf(stage, workflow, count)),
);

async function joinAll(stage: Stage, workflow: StoredWorkflow, count: number): Promise<void> {
	await post(urlOf(stage, workflow), { durations: Array<number>(count).fill(SHORT) });
	// n8n's answer about so many items also takes memory, so it is asked only once.
	const patience = { timeout: 600_000, interval: 1_000 };
	const [execution] = await stage.api.waitForExecutionsOf(workflow.id, 1, patience);
	if (execution?.status !== 'success') throw new Error(`The join ended as ${execution?.status}`);
	const items = runOf(execution, MEASURED).data?.['main']?.[0] ?? [];
	const completed = items.filter(({ json }) => json['status'] === 'completed').length;
	if (completed !== count) throw new Error(`Of ${count} crews ${completed} came out completed`);
}

async function peakDuring(stage: Stage, work: Promise<unknown>): Promise<number> {
	let [peak, isOver] = [0, false];
	const end = () => {
		isOver = true;
	};
	work.then(end, end);
	while (!isOver) {
		peak = Math.max(peak, (await stage.usage()).rss / 1_000_000);
		await sleep(SAMPLES);
	}
	await work;
	return peak;
}

/** What most nodes do. */
export const loop = kickoffs('a loop, one by one', ({ credential }) =>
	floorNode(credential, { atOnce: 1, decryptOnce: false }),
);

/** The same with a different size, and the figure per item. */
export function perItem({ prepare }: Side, size?: number): Side {
	return {
		name: size === undefined ? 'Crew' : `itself with ${size}`,
		prepare: async (place) => {
			const count = size ?? place.size;
			const measure = await prepare({ ...place, size: count });
			return async () => (await measure()) / count;
		},
	};
}

/** The same, with the median of several measurements as its figure, for what takes too little time. */
export function medianOf(times: number, { name, prepare }: Side): Side {
	return {
		name,
		prepare: async (place) => {
			const measure = await prepare(place);
			return async () => {
				const figures: number[] = [];
				while (figures.length < times) figures.push(await measure());
				return median(figures);
			};
		},
	};
}

/** Milliseconds between two checks of n8n's process. */
const SAMPLES = 50;

/** Milliseconds that a crew takes if its end is awaited. */
const SHORT = 1_000;

const INPUTS = `{ topic: $json.topic, duration: ${ENDLESS} }`;

/** Kicks off a crew for each item in one run of a node. By default, the figure is the node's run time in milliseconds, as n8n reports it. */
function kickoffs(
	name: string,
	partOf: (stage: Stage) => Part | Promise<Part>,
	figureOf = timeOf,
): Side {
	return {
		name,
		prepare: async ({ size, stage: open }): Promise<Measure> => {
			const stage = await open();
			const parts = [webhook('lastNode'), ITEMS, await partOf(stage)];
			const workflow = await deploy(stage, parts);
			return async () => await figureOf(stage, workflow, size);
		},
	};
}

async function timeOf(stage: Stage, workflow: StoredWorkflow, count: number): Promise<number> {
	const execution = await runToEnd(stage, workflow, Array<number>(count).fill(ENDLESS));
	const { executionTime, data } = runOf(execution, MEASURED);
	checkItems(data?.['main']?.[0] ?? [], count);
	checkBodies(stage, count);
	return executionTime;
}

function lastRequest({ crew: deployment }: Stage): number {
	return deployment.requests().at(-1)?.id ?? 0;
}

/** Checks that each item came out with its own kickoff, in its place. */
function checkItems(
	items: ReadonlyArray<{ json: Record<string, unknown>; pairedItem?: unknown }>,
	count: number,
): void {
	const ids = new Set(items.map(({ json }) => json['kickoff_id']));
	const isLinked = items.every(({ pairedItem }, index) => {
		const linked = pairedItem as number | { item: number } | undefined;
		return (typeof linked === 'object' ? linked.item : linked) === index;
	});
	if (items.length === count && ids.size === count && !ids.has(undefined) && isLinked) return;
	throw new Error(`Of ${count} items ${items.length} came out, with ${ids.size} kickoffs`);
}

/** Checks that the requests were the same as those of the other sides. */
function checkBodies({ crew: deployment }: Stage, count: number): void {
	const topics = new Set<unknown>();
	const answered = deployment.requests().filter(({ status }) => status === 200);
	for (const { path, body } of answered.slice(-count)) {
		const { inputs } = body as { inputs: { topic: string; duration: number } };
		if (path === '/kickoff' && inputs.duration === ENDLESS) topics.add(inputs.topic);
	}
	if (topics.size !== count) throw new Error('The crew was not sent what was to be measured');
}
