import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import type { Bench, Row } from '../row';
import type { Stage } from '../stage';
import { crewNode, deploy, ITEMS, NOTHING, post, urlOf, webhook } from '../workflows';
import { deployPollingLoop } from './pollingLoop';

/** Runs a workflow to its end, and gives how many requests its executions of the crew received each. */
async function countRequests(
	stage: Stage,
	workflow: StoredWorkflow,
	durations: number[],
	timeout: number,
): Promise<number[]> {
	const before = stage.crew.executions().length;
	for (const duration of durations) {
		await post(urlOf(stage, workflow), { durations: [duration] });
	}
	const ended = await stage.api.waitForExecutionsOf(workflow.id, durations.length, {
		timeout,
		interval: 1_000,
	});
	const wrong = ended.filter(({ status }) => status !== 'success');
	if (wrong.length > 0) throw new Error(`${wrong.length} executions did not end well`);
	const started = stage.crew.executions().slice(before, before + durations.length);
	const asked = stage.crew.requests().map(({ path }) => path);
	return started.map(
		({ kickoffId }) => 1 + asked.filter((path) => path.includes(kickoffId)).length,
	);
}

async function compare(bench: Bench, stage: Stage) {
	const seconds = bench.isQuick ? 12 : 60;
	const durations = Array<number>(bench.isQuick ? 3 : 5).fill(seconds * 1_000);
	const node = crewNode(stage.credential, { wait: 'callback' });
	const crew = await deploy(stage, [webhook('onReceived'), ITEMS, node, NOTHING]);
	const timeout = (seconds + 60) * 1_000;
	const ours = await countRequests(stage, crew, durations, timeout);
	bench.log(`Crew, the very first execution and ${ours.length - 1} more: ${ours.join(', ')}`);
	const loop = await deployPollingLoop(stage);
	const theirs = await countRequests(stage, loop, durations, timeout);
	bench.log(`A loop of n8n's own nodes: ${theirs.join(', ')}`);
	return { seconds, ours, theirs };
}

export const requests: Row = {
	name: 'requests',
	about: 'requests to the crew for each execution, kickoff included',
	run: async (bench) => {
		// One of its own: nothing is known of the crew yet.
		const { seconds, ours, theirs } = await bench.withOwnStage(
			{},
			async (stage) => await compare(bench, stage),
		);
		return [
			{
				measure: `requests for a crew of ${seconds} s, waiting for the callback`,
				unit: '',
				ours: { contender: 'Crew', rounds: ours },
				rivals: [
					{ contender: 'the most that is wanted', rounds: [3], most: 1 },
					{ contender: 'asking every 5 s with n8n’s own nodes', rounds: theirs },
				],
			},
		];
	},
};
