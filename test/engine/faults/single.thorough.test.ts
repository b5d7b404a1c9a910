import { OPERATION_NAMES, type OperationName } from '../../support/crewOperations';
import { outcomeOf, settleCells, type Settled } from '../../support/faults/accounts';
import { answersTo, closeRigs, openRigs, type Rig } from '../../support/faults/rig';
import {
	cellsWithFault,
	DURATIONS,
	ENDPOINTS,
	faultAt,
	isStart,
	isTriedAgain,
	ITEMS,
	REQUEST_FAULTS,
	SETTINGS,
} from '../../support/faults/cells';
import { either, expectTablesOnPage, groupBy, toTable } from '../../support/faults/page';
import { tell, type Effect } from '../../support/faults/tell';

jest.setTimeout(300_000);

let rigs: Rig[];

beforeAll(async () => {
	rigs = await openRigs(48);
});

afterAll(async () => {
	await closeRigs(rigs);
});

/** What a fault does to the item that it affects. */
interface FaultEffect extends Effect {
	/** Whether the crew did what it was asked for this item. */
	isDone: boolean;
}

/** The one effect of a fault, whatever the settings are; Retry On Fail only counts if n8n acts on it. */
function effectOf(results: readonly Settled[]): FaultEffect {
	const [plain, retried] = [false, true].map((isRetried) =>
		results.filter(({ cell }) => isTriedAgain(cell) === isRetried),
	) as [Settled[], Settled[]];
	for (const group of [plain, retried]) {
		// Only if the details can be seen, see accounts.ts.
		const seen = group.map(outcomeOf);
		expect(new Set(seen.map(({ message }) => message))).toHaveProperty('size', 1);
		const hints = seen
			.map(({ mayHaveArrived }) => mayHaveArrived)
			.filter((hint) => hint !== undefined);
		expect(new Set(hints).size).toBeLessThanOrEqual(1);
	}
	const stop = (group: Settled[]) => group.find(({ cell }) => cell.onError === 'stopWorkflow')!;
	const { facts } = stop(plain);
	const [execution] = facts.executions[0] ?? [];
	return {
		plain: outcomeOf(stop(plain)),
		retried: outcomeOf(stop(retried)),
		askedAgain: facts.requests > ITEMS,
		isDone:
			stop(plain).cell.operation === 'resume'
				? execution !== undefined && answersTo(execution) === 1
				: execution !== undefined,
	};
}

/** One row for each fault with another effect. */
function rowsFor(operation: OperationName, results: readonly Settled[]): string[][] {
	const rows = [...REQUEST_FAULTS.keys()].map((kind) => {
		const [once, always] = DURATIONS.map((times) =>
			effectOf(
				results.filter(({ cell }) =>
					cell.faults.includes(faultAt(kind, ENDPOINTS[operation], cell.position, times)),
				),
			),
		) as [FaultEffect, FaultEffect];
		const done = isStart(operation) ? [once.isDone ? 'yes, once' : 'no'] : [];
		return [REQUEST_FAULTS.get(kind) ?? '', tell(once), tell(always), ...done];
	});
	return groupBy(rows, ([, ...cells]) => cells.join('|')).map((group) => [
		either(group.map(([what = '']) => what)),
		...(group[0]?.slice(1) ?? []),
	]);
}

const tables: Array<{ operation: OperationName; table: string }> = [];

describe.each(OPERATION_NAMES)('%s', (operation) => {
	it('keeps its promises with each fault, at each item, in each setting', async () => {
		const cells = [...REQUEST_FAULTS.keys()].flatMap((kind) =>
			DURATIONS.flatMap((times) => cellsWithFault(operation, kind, times)),
		);
		const results = await settleCells(cells, rigs);
		expect(results.flatMap(({ violations }) => violations)).toEqual([]);
		expect(results).toHaveLength(REQUEST_FAULTS.size * DURATIONS.length * SETTINGS.length);
		const rows = rowsFor(operation, results);
		const head = [
			'The crew’s server …',
			'once',
			'from then on',
			...(isStart(operation) ? ['Was it done?'] : []),
		];
		tables.push({ operation, table: toTable(head, rows) });
	});
});

it('ends as docs/reports/faults.md says', () => {
	expectTablesOnPage('one fault', tables);
});
