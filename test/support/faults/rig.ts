import { randomUUID } from 'node:crypto';
import { sleep, type IDataObject, type INodeExecutionData } from 'n8n-workflow';
import {
	startCrewServer,
	type CrewDefinition,
	type CrewServer,
	type ExecutionView,
} from '../../../crew-server/src';
import { type CrewNode, type EngineRun, runCrew } from '../engine';
import { ENDPOINTS, ITEMS, type Cell } from './cells';
import { inCrewTime } from './crewTime';
import type { OperationName } from '../crewOperations';

/** What can be seen after a cell. */
export interface Facts {
	run: EngineRun;
	/** By item: the executions that the crew has for it. */
	executions: ExecutionView[][];
	/** How many requests came to the operation's endpoint. */
	requests: number;
	/** How many requests were still open. */
	open: number;
	/** Milliseconds that the node took. */
	elapsed: number;
}

/** How often a person has answered. */
export function answersTo({ questions }: ExecutionView): number {
	return questions.filter(({ answer }) => answer !== undefined).length;
}

/** A crew that asks a person right after its start, so that it can be read, resumed and stopped. */
const ASKING: CrewDefinition = {
	name: 'asking',
	inputs: [{ name: 'topic', type: 'string', required: true }],
	tasks: [
		{
			name: 'draft',
			description: 'Write about {topic}',
			expectedOutput: 'A draft',
			agent: 'Writer',
			duration: 1,
			humanInput: true,
			output: 'About {topic}',
		},
		{
			name: 'publish',
			description: 'Publish {topic}',
			expectedOutput: 'An article',
			agent: 'Editor',
			duration: 1,
			output: 'Published: {topic}',
		},
	],
};

const ONE_BY_ONE = { options: { maxParallel: 1, n8nMeta: false } };

const PARAMETERS: Record<OperationName, CrewNode['parameters']> = {
	getInputs: { operation: 'getInputs', ...ONE_BY_ONE },
	kickoff: {
		operation: 'kickoff',
		specifyInputs: 'json',
		inputsJson: '={{ JSON.stringify({ topic: $json.topic }) }}',
		wait: 'no',
		...ONE_BY_ONE,
	},
	getStatus: { operation: 'getStatus', kickoffId: '={{ $json.kickoff_id }}', ...ONE_BY_ONE },
	resume: {
		operation: 'resume',
		kickoffId: '={{ $json.kickoff_id }}',
		taskId: 'draft',
		decision: 'approve',
		humanFeedback: 'Good',
		callbacks: 'none',
		wait: 'no',
		...ONE_BY_ONE,
	},
	stop: { operation: 'stop', kickoffId: '={{ $json.kickoff_id }}', ...ONE_BY_ONE },
};

/** Three tries, with the shortest pauses that n8n allows. */
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** Milliseconds after which the crew server has finished a request with a late answer. */
const LATEST = 100_000;

/** A crew server for running cells, one at a time. Like the platform's crews, it ignores idempotency keys. */
export class Rig {
	private constructor(private readonly crew: CrewServer) {}

	static async open(): Promise<Rig> {
		return new Rig(await startCrewServer({ crew: ASKING, aspects: { kickoffKeys: 'ignored' } }));
	}

	async close(): Promise<void> {
		await this.crew.close();
	}

	/** Runs a cell, and returns what can be seen afterwards. */
	async run(cell: Cell): Promise<Facts> {
		const items = await this.prepare(cell);
		const before = this.crew.requests().at(-1)?.id ?? 0;
		this.crew.setFaults(cell.faults);
		const begin = Date.now();
		const run = await runCrew(nodeOf(cell), {
			items,
			credential: { baseUrl: this.crew.url, accessToken: this.crew.accessToken },
		});
		const elapsed = Date.now() - begin;
		if (cell.faults.some((fault) => /=90000/.test(fault))) await sleep(LATEST);
		this.crew.setFaults([]);
		const endpoint = ENDPOINTS[cell.operation];
		const since = this.crew.requests().filter(({ id }) => id > before);
		return {
			run,
			elapsed,
			executions: await Promise.all(items.map(({ topic }) => this.executionsOf(topic as string))),
			requests: since.filter(({ path }) => path.includes(endpoint)).length,
			open: since.filter(({ isOpen }) => isOpen).length,
		};
	}

	private async executionsOf(topic: string): Promise<ExecutionView[]> {
		return (await this.crew.executions()).filter(({ inputs }) => inputs.topic === topic);
	}

	/** Items for a run, with executions that ask a person if the operation needs some. */
	private async prepare({ operation, items: count = ITEMS }: Cell): Promise<IDataObject[]> {
		const items: IDataObject[] = Array.from({ length: count }, () => ({ topic: randomUUID() }));
		if (operation === 'getInputs' || operation === 'kickoff') return items;
		await Promise.all(
			items.map(async (item) => {
				await this.kickOff(item);
			}),
		);
		return items;
	}

	private async kickOff(item: IDataObject): Promise<void> {
		const answer = await fetch(`${this.crew.url}/kickoff`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				authorization: `Bearer ${this.crew.accessToken}`,
			},
			body: JSON.stringify({ inputs: { topic: item.topic } }),
		});
		item.kickoff_id = ((await answer.json()) as IDataObject).kickoff_id;
		while ((await this.executionsOf(item.topic as string))[0]?.state !== 'pending_human_input') {
			await sleep(1);
		}
	}
}

function nodeOf({ operation, onError, retry }: Cell): CrewNode {
	return {
		parameters: PARAMETERS[operation],
		settings: { onError, ...(retry ? RETRY : {}) },
	};
}

/** Opens rigs, to be closed by {@link closeRigs}. One cell at a time runs on each, and most of them only wait. */
export async function openRigs(count: number): Promise<Rig[]> {
	const rigs = await Promise.all(Array.from({ length: count }, async () => await Rig.open()));
	// The node remembers a crew's path for the status: with this request, all cells start the same.
	const setting = { position: 'first', onError: 'stopWorkflow', retry: false } as const;
	const asking = { ...setting, operation: 'getStatus', faults: [] } as const;
	await inCrewTime(
		async () =>
			await Promise.all(rigs.map(async (rig) => await rig.run({ ...asking, faults: [] }))),
	);
	return rigs;
}

export async function closeRigs(rigs: readonly Rig[]): Promise<void> {
	await Promise.all(
		rigs.map(async (rig) => {
			await rig.close();
		}),
	);
}

/** Runs cells on all rigs, and returns their results in the cells' order. */
export async function runCells<Result>(
	cells: readonly Cell[],
	rigs: readonly Rig[],
	read: (cell: Cell, facts: Facts) => Result,
): Promise<Result[]> {
	const results: Result[] = [];
	let next = 0;
	await Promise.all(
		rigs.map(async (rig) => {
			while (next < cells.length) {
				const index = next++;
				const cell = cells[index]!;
				results[index] = read(cell, await rig.run(cell));
			}
		}),
	);
	return results;
}

/** The index of the input item of an output item. */
export function inputOf({ pairedItem }: INodeExecutionData): number {
	if (typeof pairedItem === 'object' && !Array.isArray(pairedItem)) return pairedItem.item;
	throw new Error(`An item is linked to ${JSON.stringify(pairedItem)}`);
}
