import { OPERATION_NAMES, type OperationName } from '../../support/crewOperations';
import { settleCells, type Settled } from '../../support/faults/accounts';
import { closeBenches, openBenches, type Bench } from '../../support/faults/bench';
import { ENDPOINTS, REQUEST_FAULTS, SETTINGS } from '../../support/faults/cells';
import { either, expectTablesOnPage, groupBy, toTable } from '../../support/faults/page';
import { tell } from '../../support/faults/tell';

jest.setTimeout(300_000);

/** One of each sort: the others of `single.test.ts` come to the same as one of these. */
const KINDS = [
	'latency=90000',
	'half-body',
	'drop-before',
	'drop-after',
	'429=1',
	'429=120',
	'503',
	'html',
];

/** The error output differs from the regular one only in where an item comes out, see `single.test.ts`. */
const PAIR_SETTINGS = SETTINGS.filter(
	({ position, onError }) => position === 'first' && onError !== 'continueErrorOutput',
);

interface Pair {
	first: string;
	then: string;
}

const PAIRS: Pair[] = KINDS.flatMap((first) => KINDS.map((then) => ({ first, then })));

type Result = Pair & Settled;

let benches: Bench[];

beforeAll(async () => {
	benches = await openBenches();
});

afterAll(async () => {
	await closeBenches(benches);
});

/**
 * What becomes of the first item. Only where the workflow stops at it do both faults befall it for sure:
 * else the second one may befall the next item.
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

/** Faults as the shorter list: those meant, or those that are not. */
function name(kinds: readonly string[]): string {
	const tellKinds = (all: readonly string[]) =>
		either(all.map((kind) => REQUEST_FAULTS.get(kind)!));
	const others = KINDS.filter((kind) => !kinds.includes(kind));
	if (others.length === 0) return 'anything';
	return others.length < kinds.length ? `anything but: ${tellKinds(others)}` : tellKinds(kinds);
}

/** The pairs as rows: second faults of the same effect together, then first faults of the same rows. */
function rowsFor(results: readonly Result[]): string[][] {
	const byFirst = KINDS.map((first) => {
		const effects = KINDS.map((then) => ({
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
		const endpoint = ENDPOINTS[operation];
		const cells = PAIRS.flatMap((pair) =>
			PAIR_SETTINGS.map((setting) => ({
				...pair,
				cell: {
					...setting,
					operation,
					faults: [`${pair.first}@${endpoint}*1`, `${pair.then}@${endpoint}+1*1`],
				},
			})),
		);
		const settled = await settleCells(
			cells.map(({ cell }) => cell),
			benches,
		);
		expect(settled.flatMap(({ violations }) => violations)).toEqual([]);
		expect(settled).toHaveLength(KINDS.length ** 2 * PAIR_SETTINGS.length);
		const results = settled.map((one, index) => ({ ...cells[index]!, ...one }));
		const head = ['First the crew’s server …', 'and at the next request it …', 'The item'];
		tables.push({ operation, table: toTable(head, rowsFor(results)) });
	});
});

it('comes to what docs/faults.md says', () => {
	expectTablesOnPage('two faults', tables);
});
