import { OPERATION_NAMES, type OperationName } from '../../support/crewOperations';
import { settleCells, type Settled } from '../../support/faults/accounts';
import { closeRigs, openRigs, type Rig } from '../../support/faults/rig';
import {
	cellsWithPair,
	PAIRED_KINDS,
	PAIRS,
	REQUEST_FAULTS,
	type Pair,
} from '../../support/faults/cells';
import { either, expectTablesOnPage, groupBy, toTable } from '../../support/faults/page';
import { tell } from '../../support/faults/tell';

jest.setTimeout(300_000);

type Result = Pair & Settled;

let rigs: Rig[];

beforeAll(async () => {
	rigs = await openRigs(48);
});

afterAll(async () => {
	await closeRigs(rigs);
});

/**
 * What happens to the first item. Both faults certainly affect it only if the workflow stops at it:
 * otherwise, the second one may affect the next item.
 */
function effectOf(results: readonly Result[]): string {
	const [plain, retried] = [false, true].map(
		(retry) =>
			results.find(({ cell }) => cell.retry === retry && cell.onError === 'stopWorkflow')
				?.outcomes[0],
	);
	if (!plain || !retried) throw new Error('The workflow stopped at another item');
	return tell({ plain, retried, askedAgain: plain.message === undefined });
}

/** Names faults by the shorter list: the meant ones, or the others. */
function name(kinds: readonly string[]): string {
	const tellKinds = (all: readonly string[]) =>
		either(all.map((kind) => REQUEST_FAULTS.get(kind)!));
	const others = PAIRED_KINDS.filter((kind) => !kinds.includes(kind));
	if (others.length === 0) return 'anything';
	return others.length < kinds.length ? `anything but: ${tellKinds(others)}` : tellKinds(kinds);
}

/** The pairs as rows: second faults of the same effect together, then first faults of the same rows. */
function rowsFor(results: readonly Result[]): string[][] {
	const byFirst = PAIRED_KINDS.map((first) => {
		const effects = PAIRED_KINDS.map((then) => ({
			then,
			effect: effectOf(results.filter((one) => one.first === first && one.then === then)),
		}));
		return { first, groups: groupBy(effects, ({ effect }) => effect) };
	});
	return groupBy(byFirst, ({ groups }) => JSON.stringify(groups)).flatMap((same) => {
		const first = name(same.map((one) => one.first));
		return (same[0]?.groups ?? []).map((group) => {
			const then = name(group.map((one) => one.then));
			return [first, then, group[0]?.effect ?? ''];
		});
	});
}

const tables: Array<{ operation: OperationName; table: string }> = [];

describe.each(OPERATION_NAMES)('%s', (operation) => {
	it('keeps its promises with two faults, one after the other', async () => {
		const cells = PAIRS.flatMap((pair) =>
			cellsWithPair(operation, pair).map((cell) => ({ ...pair, cell })),
		);
		const settled = await settleCells(
			cells.map(({ cell }) => cell),
			rigs,
		);
		expect(settled.flatMap(({ violations }) => violations)).toEqual([]);
		expect(settled).toHaveLength(PAIRED_KINDS.length ** 2 * 4);
		const results = settled.map((one, index) => ({ ...cells[index]!, ...one }));
		const head = ['First the crew’s server …', 'and at the next request it …', 'The item'];
		tables.push({ operation, table: toTable(head, rowsFor(results)) });
	});
});

it('ends as docs/reports/faults.md says', () => {
	expectTablesOnPage('two faults', tables);
});
