import type { StoredWorkflow } from '../../../sandbox/src/n8n-api';
import type { Comparison } from '../figures';
import { measureInTurn, type Bench, type Contender, type Row } from '../row';
import type { Stage } from '../stage';
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

const FEW = 100;
const MANY = 1_000;

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

/** Kilobytes by which the heap is larger after the node than before it, all garbage collected. */
async function growthOf(stage: Stage, workflow: StoredWorkflow, count: number): Promise<number> {
	const execution = await runToEnd(stage, workflow, Array<number>(count).fill(ENDLESS));
	const heapAt = (name: string) =>
		Number(runOf(execution, name).data?.['main']?.[0]?.[0]?.json['heap_used']);
	return (heapAt('After') - heapAt('Before')) / 1_000;
}

async function measureTime(bench: Bench, stage: Stage): Promise<Comparison> {
	const part = crewNode(stage.credential, {}, ENDLESS);
	const workflow = await deploy(stage, [webhook('lastNode'), ITEMS, part]);
	const perItem = (count: number) => ({
		name: `${count} items`,
		measure: async () => {
			const execution = await runToEnd(stage, workflow, Array<number>(count).fill(ENDLESS));
			return runOf(execution, MEASURED).executionTime / count;
		},
	});
	const sizes = [perItem(FEW), perItem(MANY)];
	const rounds = bench.isQuick ? 1 : 5;
	const figuresOf = await measureInTurn(bench, 'Milliseconds per item', sizes, rounds);
	const perItemOf = (count: number) => figuresOf(`${count} items`).rounds;
	return {
		measure: `time per item with ${MANY} items`,
		unit: 'ms',
		ours: { contender: 'Crew', rounds: perItemOf(MANY) },
		rivals: [{ contender: `itself with ${FEW}`, rounds: perItemOf(FEW), most: 1.1 }],
	};
}

/** n8n keeps what an expression was given until its sandbox collects its own garbage. */
const WITHOUT_EXPRESSIONS = 'Crew, inputs mapped automatically';

/** What is weighed; the last is what the others are to be heavier than. */
function waysOf({ credential, crew }: Stage): Record<string, Part> {
	const inputs = `{ topic: $json.topic, duration: ${ENDLESS} }`;
	return {
		Crew: crewNode(credential, {}, ENDLESS),
		[WITHOUT_EXPRESSIONS]: crewNode(credential, {
			inputs: { mappingMode: 'autoMapInputData', value: null, schema: [] },
		}),
		'HTTP Request': httpNode(httpKickoff(crew.url, inputs), 'crewApi', credential),
		'the requests alone': floorNode(credential),
		'the items alone': ANSWERS,
	};
}

async function weighingsOf(stage: Stage): Promise<Contender[]> {
	const weighings: Contender[] = [];
	for (const [name, part] of Object.entries(waysOf(stage))) {
		const parts = [webhook('lastNode'), ITEMS, gauge('Before'), part, gauge('After')];
		const workflow = await deploy(stage, parts);
		for (const count of [FEW, MANY]) {
			const measure = async () => await growthOf(stage, workflow, count);
			weighings.push({ name: `${name}, ${count}`, measure });
		}
	}
	return weighings;
}

async function measureHeap(bench: Bench, stage: Stage): Promise<Comparison[]> {
	const rounds = bench.isQuick ? 1 : 5;
	const weighings = await weighingsOf(stage);
	const figuresOf = await measureInTurn(bench, 'Kilobytes of heap', weighings, rounds);
	const figure = (name: string, count: number, round: number) =>
		figuresOf(`${name}, ${count}`).rounds[round] ?? NaN;
	const perItem = (name: string, round: number) =>
		(figure(name, MANY, round) - figure(name, FEW, round)) / (MANY - FEW);
	const beyondItems = (contender: string) => ({
		contender,
		rounds: Array.from(
			{ length: rounds },
			(_, round) => perItem(contender, round) - perItem('the items alone', round),
		),
	});
	const measure = 'heap per item, beyond the items themselves';
	return [
		{
			measure,
			unit: 'kB',
			ours: beyondItems(WITHOUT_EXPRESSIONS),
			rivals: [
				{ contender: 'the most that is wanted', rounds: [3], most: 1 },
				beyondItems('the requests alone'),
			],
		},
		{
			measure: `${measure}, with an expression for each`,
			unit: 'kB',
			ours: beyondItems('Crew'),
			rivals: [beyondItems('HTTP Request')],
		},
	];
}

export const growth: Row = {
	name: 'growth',
	about: 'time and heap per item, from 100 to 1,000 items',
	run: async (bench) => {
		const stage = await bench.stage('kickoffs');
		return [await measureTime(bench, stage), ...(await measureHeap(bench, stage))];
	},
};
