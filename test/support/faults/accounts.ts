import { documentedMessage } from '../documentedMessages';
import { answersTo, inputOf, runCells, type Rig, type Facts } from './rig';
import { describeCell, isStart, ITEMS, type Cell } from './cells';
import { inCrewTime } from './crewTime';

/** The outcome of one item. */
export interface Outcome {
	/** In the form of docs/troubleshooting.md; absent if the item went through. */
	message?: string;
	/** Whether the message says that the crew may have acted anyway. */
	mayHaveArrived?: boolean;
}

/** The outcomes of a cell, and the broken promises. */
export interface Account {
	/** By item; `undefined` if nothing is known about it because the workflow stopped. */
	outcomes: Array<Outcome | undefined>;
	violations: string[];
}

/** A cell with its facts and account. */
export type Settled = { cell: Cell; facts: Facts } & Account;

const HINT =
	/^The crew may have been (started|resumed) all the same, so this item is not sent again\./;

/** The most milliseconds that the requests of all tries of all items may take, including pauses. */
const LONGEST = 3 * ITEMS * 3 * (60_000 + 60_000);

/** Runs all cells, as many at once as there are rigs, and checks each one. */
export async function settleCells(
	cells: readonly Cell[],
	rigs: readonly Rig[],
): Promise<Settled[]> {
	const read = (cell: Cell, facts: Facts) => ({ cell, facts, ...settle(cell, facts) });
	return await inCrewTime(async () => await runCells(cells, rigs, read));
}

/** The outcome of the item with the first fault, or of the one at which the workflow stopped. */
export function outcomeOf({ cell, outcomes }: Settled): Outcome {
	const item = cell.position === 'first' ? 0 : ITEMS - 1;
	return outcomes[item] ?? outcomes.find((outcome) => outcome !== undefined) ?? {};
}

/** Reads the outcomes of a cell, and checks them against the node's promises. */
function settle(cell: Cell, facts: Facts): Account {
	const violations: string[] = [];
	const check = (isRight: boolean, what: string) => {
		if (!isRight) violations.push(`${describeCell(cell)}: ${what}`);
	};
	const outcomes =
		cell.onError === 'stopWorkflow' ? stopped(cell, facts, check) : wentOn(cell, facts, check);
	outcomes.forEach((outcome, item) => {
		if (outcome) checkItem(cell, facts, item, outcome, check);
	});
	for (const executions of facts.executions) {
		check(executions.length <= 1, 'a crew was started twice');
		check(!executions[0] || answersTo(executions[0]) <= 1, 'a crew was resumed twice');
	}
	check(facts.elapsed <= LONGEST, `it took ${facts.elapsed} ms`);
	check(facts.open === 0, `${facts.open} requests are still open`);
	return { outcomes, violations };
}

type Check = (isRight: boolean, what: string) => void;

/** If the workflow stopped, only the item at which it stopped has an outcome; otherwise, all items have one. */
function stopped(cell: Cell, facts: Facts, check: Check): Array<Outcome | undefined> {
	const { error, outputs } = facts.run;
	if (!error) return wentOn(cell, facts, check);
	check(outputs.flat().length === 0, 'items came out although the workflow stopped');
	check(error.item !== undefined, 'the error names no item');
	const outcome = readOutcome(error.message, error.description ?? '', check);
	return Array.from({ length: cell.items ?? ITEMS }, (_, item) =>
		item === error.item ? outcome : undefined,
	);
}

/** Each item comes out once, in order and linked: with its result, or as an error item. */
function wentOn(cell: Cell, { run }: Facts, check: Check): Array<Outcome | undefined> {
	check(run.error === undefined, 'the workflow stopped');
	const [regular = [], errors = []] = run.outputs;
	check(cell.onError === 'continueErrorOutput' || errors.length === 0, 'there is an error output');
	for (const output of run.outputs) {
		const order = output.map(inputOf);
		check(order.join() === [...order].sort().join(), 'the order is lost');
	}
	return Array.from({ length: cell.items ?? ITEMS }, (_, item) => {
		const own = [...regular, ...errors].filter((one) => inputOf(one) === item);
		check(own.length === 1, `${own.length} items came out for item ${item}`);
		const { error, details = '' } = own[0]?.json ?? {};
		if (error === undefined) return {};
		const isInErrorOutput = errors.some((one) => inputOf(one) === item);
		check(isInErrorOutput === (cell.onError === 'continueErrorOutput'), 'the wrong output');
		const outcome = readOutcome(error as string, details as string, check);
		// n8n leaves only the message in the error output.
		return isInErrorOutput ? { message: outcome.message } : outcome;
	});
}

function readOutcome(message: string, details: string, check: Check): Outcome {
	const known = documentedMessage(message);
	check(known !== undefined, `the message is not documented: ${message}`);
	return { message: known ?? message, mayHaveArrived: HINT.test(details) };
}

/** What an item says has to match what the crew has done. */
function checkItem(
	{ operation }: Cell,
	{ executions, run }: Facts,
	item: number,
	{ message, mayHaveArrived }: Outcome,
	check: Check,
): void {
	const [execution] = executions[item] ?? [];
	const json = run.outputs.flat().find((one) => inputOf(one) === item)?.json;
	if (message === undefined) {
		if (operation === 'kickoff') check(execution !== undefined, 'no crew was started');
		if (operation !== 'getInputs') {
			check(json?.kickoff_id === execution?.kickoffId, 'the item is about another execution');
		}
		if (operation === 'resume')
			check(execution !== undefined && answersTo(execution) === 1, 'it was not resumed');
		if (operation === 'stop') check(execution?.state === 'stopped', 'it was not stopped');
		if (operation === 'getStatus') check(json?.status === 'pending_human_input', 'wrong status');
		return;
	}
	if (!isStart(operation)) check(mayHaveArrived !== true, 'a read is said to have arrived');
	if (mayHaveArrived !== false) return;
	if (operation === 'kickoff') check(!execution, 'it is not said that the crew was started');
	if (operation === 'resume')
		check(
			execution !== undefined && answersTo(execution) === 0,
			'it is not said that it was resumed',
		);
}
