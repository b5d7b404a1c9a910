import { SETTINGS } from '../../support/faults/cells';
import { either, expectOnPage, groupBy, toTable } from '../../support/faults/page';
import type { WaitingRig, WaitingCell } from '../../support/faults/waitingRig';
import {
	callbackRows,
	closeWaitingRigs,
	openWaitingRigs,
	pairRows,
	runRows,
	statusRows,
	workRows,
	type Row,
} from '../../support/faults/waitingRows';

jest.setTimeout(300_000);

let rigs: WaitingRig[];

beforeAll(async () => {
	rigs = await openWaitingRigs(48);
});

afterAll(async () => {
	await closeWaitingRigs(rigs);
});

/** Runs each row in each setting, and gives it as a row of a table: the first item's crew, the last one's. */
async function rowsFor(
	how: Pick<WaitingCell, 'isHeld'>,
	rows: readonly Row[],
): Promise<string[][]> {
	const inAllSettings = rows.map((row) => ({ ...row, settings: SETTINGS }));
	const runs = await runRows(how, inAllSettings, rigs);
	const table = rows.map(({ what }) => {
		const effects = (['first', 'last'] as const).map((position) => {
			const own = runs.filter((run) => run.what === what && run.position === position);
			return either([...new Set(own.map(({ told }) => told))]);
		});
		return [what, ...effects];
	});
	return groupBy(table, (cells) => cells.slice(1).join('|')).flatMap((group) => group);
}

const head = ['What happens', 'to the crew that ends first', 'to the crew that ends last'];

it('while the execution waits', async () => {
	const rows = await rowsFor({ isHeld: false }, [...callbackRows, ...workRows, ...statusRows]);
	expectOnPage('waiting for a callback', toTable(head, rows));
});

it('while the execution waits, with a status that cannot be read', async () => {
	expectOnPage(
		'two faults while waiting',
		toTable(head, await rowsFor({ isHeld: false }, pairRows)),
	);
});

it('while the execution is kept running', async () => {
	expectOnPage(
		'polling',
		toTable(head, await rowsFor({ isHeld: true }, [...workRows, ...statusRows])),
	);
});
