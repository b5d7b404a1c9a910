import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import type { Side } from '../row';
import type { Stage } from '../stage';
import {
	crewNode,
	deploy,
	ENDLESS,
	ITEMS,
	MEASURED,
	runOf,
	runToEnd,
	webhook,
	type Part,
} from '../workflows';

/** How many times smaller the small run is, with which the large one is compared. */
const TENTH = 10;

/** Returns the items of a kickoff without a request. */
const ANSWERS: Part = {
	name: MEASURED,
	type: 'n8n-nodes-bench.benchAnswers',
	typeVersion: 1,
	parameters: {},
};

const gauge = (name: string): Part => ({
	name,
	type: 'n8n-nodes-bench.benchGauge',
	typeVersion: 1,
	parameters: {},
});

/** Without expressions: n8n keeps their values until its sandbox collects its own garbage. */
export const crew = heap('Crew, inputs mapped automatically', ({ credential }) =>
	crewNode(credential, { inputs: { mappingMode: 'autoMapInputData', value: null, schema: [] } }),
);

/**
 * Kilobytes per item by which the heap is larger after a node than before it, with all garbage collected, and without the
 * items themselves. It is the difference between a run and one with a tenth of the items, so that the fixed cost of a run
 * is left out.
 */
function heap(name: string, partOf: (stage: Stage) => Part): Side {
	return {
		name,
		prepare: async ({ size, stage: open }) => {
			const stage = await open();
			const workflowOf = async (part: Part) =>
				await deploy(stage, [webhook('lastNode'), ITEMS, gauge('Before'), part, gauge('After')]);
			const [node, items] = [await workflowOf(partOf(stage)), await workflowOf(ANSWERS)];
			const perItem = async (workflow: StoredWorkflow) => {
				const few = await growthOf(stage, workflow, size / TENTH);
				const many = await growthOf(stage, workflow, size);
				return (many - few) / (size - size / TENTH);
			};
			return async () => (await perItem(node)) - (await perItem(items));
		},
	};
}

/** Kilobytes by which the heap is larger after the node than before it. */
async function growthOf(stage: Stage, workflow: StoredWorkflow, count: number): Promise<number> {
	const execution = await runToEnd(stage, workflow, Array<number>(count).fill(ENDLESS));
	const heapAt = (name: string) =>
		Number(runOf(execution, name).data?.['main']?.[0]?.[0]?.json['heap_used']);
	return (heapAt('After') - heapAt('Before')) / 1_000;
}
