import type { Comparison } from '../figures';
import type { Bench, Row } from '../row';
import type { Stage } from '../stage';
import { crewNode, deploy, ITEMS, NOTHING, post, urlOf, webhook } from '../workflows';

const TIMEOUT = 400_000;

/** Milliseconds: by then all crews have been started, and what comes after is one end after the other. */
const ALL_STARTED = 7_000;
const APART = 40;

/** Milliseconds for each of N crews: they end in any order, one after the other, when all have been started. */
function durationsOf(count: number): number[] {
	// Multiples of a number without a common divisor: each place once, well mixed, and the same in every run.
	const places = Array.from({ length: count }, (_, n) => (n * 997) % count);
	return places.map((place) => ALL_STARTED + place * APART);
}

/** The status requests that joining so many crews takes, in all. */
async function joinCrews(stage: Stage, count: number): Promise<number> {
	const node = crewNode(stage.credential, { wait: 'callback' });
	const workflow = await deploy(stage, [webhook('onReceived'), ITEMS, node, NOTHING]);
	const before = stage.crew.executions().length;
	await post(urlOf(stage, workflow), { durations: durationsOf(count) });
	const timeout = { timeout: TIMEOUT, interval: 1_000 };
	const [execution] = await stage.api.waitForExecutionsOf(workflow.id, 1, timeout);
	if (execution?.status !== 'success') throw new Error(`The join ended as ${execution?.status}`);
	const joined = new Set(
		stage.crew
			.executions()
			.slice(before)
			.map(({ kickoffId }) => kickoffId),
	);
	return stage.crew
		.requests()
		.filter(({ method, path }) => method === 'GET' && joined.has(path.split('/')[1] ?? '')).length;
}

async function compare(bench: Bench, count: number): Promise<Comparison> {
	const asked = await joinCrews(await bench.stage('callbacks'), count);
	const most = Math.floor(count * Math.log2(count) + count);
	bench.log(`${count} crews: ${asked} status requests; N log N + N is ${most}`);
	return {
		measure: `status requests to join ${count} crews`,
		unit: '',
		ours: { contender: 'Crew', rounds: [asked] },
		rivals: [
			{ contender: 'N log₂ N + N', rounds: [most], most: 1 },
			{ contender: 'N', rounds: [count] },
		],
	};
}

export const join: Row = {
	name: 'join',
	about: 'status requests to join N crews',
	run: async (bench) => {
		const comparisons: Comparison[] = [];
		for (const count of bench.isQuick ? [10, 50] : [10, 100, 500]) {
			comparisons.push(await compare(bench, count));
		}
		return comparisons;
	},
};
