import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import type { Comparison } from '../figures';
import { measureInTurn, type Bench, type Row } from '../row';
import { USUAL_LATENCY, withLatency, type Stage } from '../stage';
import {
	crewNode,
	deploy,
	ENDLESS,
	floorNode,
	httpKickoff,
	httpNode,
	ITEMS,
	MEASURED,
	runOf,
	runToEnd,
	webhook,
	type Part,
} from '../workflows';

const OURS = 'Crew';
const FLOOR = 'the requests alone, 10 at once';
const LOOP = 'a loop, one by one';
const HTTP = 'HTTP Request, same credential';
const HTTP_BEARER = 'HTTP Request, Bearer Auth';
const UNBOUND = 'Crew, Max Parallel 30';
const TRACED = 'Crew, with Trace in Meta';

/** The ways to kick off, all with the same body but for the one that says so. */
async function waysOf({ credential, crew, api }: Stage): Promise<Array<[string, Part]>> {
	const bearer = await api.createCredential('Bearer', 'httpBearerAuth', {
		token: crew.accessToken,
	});
	const http = httpKickoff(crew.url, `{ topic: $json.topic, duration: ${ENDLESS} }`);
	const ours = (options: Record<string, number | boolean>) =>
		crewNode(credential, { options }, ENDLESS);
	return [
		[OURS, ours({ n8nMeta: false })],
		[HTTP, httpNode(http, 'crewApi', credential)],
		[HTTP_BEARER, httpNode(http, 'httpBearerAuth', bearer)],
		[FLOOR, floorNode(credential)],
		[UNBOUND, ours({ n8nMeta: false, maxParallel: 30 })],
		[TRACED, ours({})],
		[LOOP, floorNode(credential, { atOnce: 1, decryptOnce: false })],
	];
}

/** Milliseconds that the node ran for so many items. */
async function timeOf(stage: Stage, workflow: StoredWorkflow, count: number): Promise<number> {
	const execution = await runToEnd(stage, workflow, Array<number>(count).fill(ENDLESS));
	const { executionTime, data } = runOf(execution, MEASURED);
	checkItems(data?.['main']?.[0] ?? [], count);
	checkBodies(stage, count);
	return executionTime;
}

/** A figure counts only where each item came out with its own kickoff, in its place. */
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

/** And only where what was sent is what the others send. */
function checkBodies({ crew }: Stage, count: number): void {
	const topics = new Set<unknown>();
	for (const { path, body } of crew.requests().slice(-count)) {
		const { inputs } = body as { inputs: { topic: string; duration: number } };
		if (path === '/kickoff' && inputs.duration === ENDLESS) topics.add(inputs.topic);
	}
	if (topics.size !== count) throw new Error('The crew was not sent what was to be measured');
}

interface Series {
	latency: number;
	/** How often the loop is measured, which takes minutes where the crew is slow. */
	loops: number;
	/** Beside whom. */
	rivals: string[];
	/** The largest ratio that is wanted, by rival; beside HTTP Request with 500 items only. */
	most: Record<string, number>;
}

const MOST_ITEMS = 500;

async function measureSeries(bench: Bench, series: Series): Promise<Comparison[]> {
	const stage = await bench.stage('kickoffs');
	const deployed: Array<[string, StoredWorkflow]> = [];
	for (const [name, part] of await waysOf(stage)) {
		if (name !== OURS && !series.rivals.includes(name)) continue;
		deployed.push([name, await deploy(stage, [webhook('lastNode'), ITEMS, part])]);
	}
	return await withLatency(stage, series.latency, async () => {
		const comparisons: Comparison[] = [];
		for (const count of bench.isQuick ? [MOST_ITEMS] : [1, 100, MOST_ITEMS]) {
			comparisons.push(...(await compare(bench, stage, series, deployed, count)));
		}
		return comparisons;
	});
}

async function compare(
	bench: Bench,
	stage: Stage,
	{ latency, loops, rivals: names, most }: Series,
	deployed: ReadonlyArray<[string, StoredWorkflow]>,
	count: number,
): Promise<Comparison[]> {
	const rounds = bench.isQuick ? 3 : 5;
	const contenders = deployed.map(([name, workflow]) => ({
		name,
		measure: async () => await timeOf(stage, workflow, count),
		rounds: name === LOOP ? (bench.isQuick ? 1 : loops) : rounds,
	}));
	const measure = `${count} kickoff${count === 1 ? '' : 's'}, crew answers after ${latency} ms`;
	const figuresOf = await measureInTurn(bench, measure, contenders, rounds);
	const isMost = count === MOST_ITEMS;
	for (const { name, measure: run } of isMost && bench.keepProfile ? contenders : []) {
		if (name !== LOOP) await bench.keepProfile?.(`${measure}, ${name}`, await stage.profile(run));
	}
	const rivals = names.map((name) => ({
		...figuresOf(name),
		...(isMost || (count > 1 && name !== HTTP) ? { most: most[name] } : {}),
	}));
	const comparison = { measure, unit: 'ms', ours: figuresOf(OURS), rivals };
	if (!isMost || !names.includes(UNBOUND)) return [comparison];
	const unbound = {
		...comparison,
		measure: `${measure}, Max Parallel 30`,
		ours: figuresOf(UNBOUND),
		rivals: [{ ...figuresOf(HTTP), most: most[HTTP] }],
	};
	return [comparison, unbound];
}

export const kickoffs: Row = {
	name: 'kickoffs',
	about: 'kickoffs in one run of the node, a crew that answers after 20 ms',
	run: async (bench) =>
		await measureSeries(bench, {
			latency: USUAL_LATENCY,
			loops: 5,
			rivals: [HTTP, LOOP, FLOOR, HTTP_BEARER, UNBOUND, TRACED],
			most: { [HTTP]: 0.6, [LOOP]: 0.2, [FLOOR]: 1.3 },
		}),
};

export const slowKickoffs: Row = {
	name: 'slow-kickoffs',
	about: 'the same with a crew that answers after 200 ms',
	isLong: true,
	run: async (bench) =>
		await measureSeries(bench, {
			latency: 200,
			loops: 1,
			rivals: [HTTP, LOOP, FLOOR],
			most: { [FLOOR]: 1.1 },
		}),
};
