import { OPERATION_NAMES } from '../../support/crewOperations';
import { outcomeOf, settleCells, type Settled } from '../../support/faults/accounts';
import { closeRigs, openRigs, type Rig } from '../../support/faults/rig';
import {
	cellsWithFault,
	describeCell,
	DURATIONS,
	isTriedAgain,
	REQUEST_FAULTS,
	SETTINGS,
} from '../../support/faults/cells';
import { rowOnPage } from '../../support/faults/page';
import { isAsTold } from '../../support/faults/tell';
import type { WaitingRig } from '../../support/faults/waitingRig';
import {
	callbackRows,
	closeWaitingRigs,
	openWaitingRigs,
	runRows,
	statusRows,
	workRows,
} from '../../support/faults/waitingRows';

/**
 * A sample of the runs in the tests next to this one: every fault at one operation, and every other one while an execution
 * waits for a callback, each in one setting.
 */
const RIGS = 12;

jest.setTimeout(300_000);

/** One of a list, another one at each index. */
const oneOf = <T>(all: readonly T[], index: number) => all[(index * 5) % all.length]!;

/** A run, the words for its faults, and its column in the page's table. */
interface Sample {
	settled: Settled;
	faults: string[];
	column: number;
}

/** Runs that broke a promise, or ended differently from what docs/reports/faults.md says. */
function wrongOf(part: string, samples: readonly Sample[]): unknown[] {
	return samples.flatMap(({ settled, faults, column }) => {
		const { cell, violations } = settled;
		const told = rowOnPage(part, faults, cell.operation)[column] ?? '';
		const outcome = outcomeOf(settled);
		const isRight = violations.length === 0 && isAsTold(outcome, isTriedAgain(cell), told);
		return isRight ? [] : [{ cell: describeCell(cell), violations, outcome, told }];
	});
}

describe('operations', () => {
	let rigs: Rig[];
	beforeAll(async () => {
		rigs = await openRigs(RIGS);
	});
	afterAll(async () => {
		await closeRigs(rigs);
	});

	it('keep their promises with each fault', async () => {
		const runs = [...REQUEST_FAULTS].map(([kind, words], index) => {
			const column = index % DURATIONS.length;
			const operation = index % 2 === 0 ? 'kickoff' : oneOf(OPERATION_NAMES, index);
			return { operation, kind, words, column, times: DURATIONS[column] } as const;
		});
		const cells = runs.map(({ operation, kind, times }, index) =>
			oneOf(cellsWithFault(operation, kind, times), index),
		);
		const settled = await settleCells(cells, rigs);
		const samples = runs.map(({ words, column }, index) => ({
			settled: settled[index]!,
			faults: [words],
			column,
		}));
		expect(wrongOf('one fault', samples)).toEqual([]);
	});
});

describe('a kickoff that waits', () => {
	let rigs: WaitingRig[];
	beforeAll(async () => {
		rigs = await openWaitingRigs(RIGS);
	});
	afterAll(async () => {
		await closeWaitingRigs(rigs);
	});

	it('for a callback ends as docs/reports/faults.md says', async () => {
		const all = [...callbackRows, ...workRows, ...statusRows];
		const rows = all.filter((_row, index) => index % 2 === 0);
		const once = rows.map((row, index) => ({ ...row, settings: [oneOf(SETTINGS, index)] }));
		const runs = await runRows({ isHeld: false }, once, rigs);
		const told = runs.map(({ what, position }) => {
			const [first, last] = rowOnPage('waiting for a callback', [what]);
			return { what, position, told: position === 'first' ? first : last };
		});
		expect(runs).toEqual(told);
	});
});
