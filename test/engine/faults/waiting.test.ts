import { inputOf } from '../../support/faults/bench';
import { ITEMS, REQUEST_FAULTS, SETTINGS, type Position } from '../../support/faults/cells';
import { inCrewTime } from '../../support/faults/crewTime';
import { documentedMessage } from '../../support/documentedMessages';
import { expectOnPage, groupBy, toTable, either } from '../../support/faults/page';
import {
	LIMIT,
	WaitingBench,
	type WaitingCell,
	type WaitingFacts,
} from '../../support/faults/waitingBench';

jest.setTimeout(300_000);

const BENCHES = 48;

interface Row {
	/** What happens, for people. */
	what: string;
	/** The faults, where the crew of the first or of the last item is to meet them. */
	faults: (position: Position) => string[];
}

const skipped = (position: Position) => (position === 'first' ? 0 : ITEMS - 1);

const CALLBACKS = new Map([
	['callback-lost', 'does not come'],
	['callback-late=8000', 'comes 8 s late'],
	['callback-twice', 'comes twice'],
	['callback-out-of-order', 'comes after the next one'],
	['callback-wrong-token', 'carries a wrong token'],
]);

const ENDS = new Map([
	['the call of its end', ['crew']],
	['the event of its end', ['stream']],
	['both', ['crew', 'stream']],
]);

const callbackRows = [...CALLBACKS].flatMap(([kind, tells]) =>
	[...ENDS].map(([subject, places]): Row => ({
		what: places.length > 1 ? `call and event: each ${tells}` : `${subject} ${tells}`,
		faults: (position) => places.map((place) => `${kind}@${place}+${skipped(position)}*1`),
	})),
);

const STATUS_KINDS = ['latency=90000', 'half-body', 'drop-after', '429=1', '503', 'html'];

const statusRows = STATUS_KINDS.flatMap((kind) =>
	['*1', ''].map((times): Row => ({
		what: `status: the server ${REQUEST_FAULTS.get(kind) ?? ''}, ${times === '' ? 'from then on' : 'once'}`,
		faults: (position) => [`${kind}@status+${skipped(position)}${times}`],
	})),
);

const workRows: Row[] = [
	['never-ends', 'the crew never ends'],
	['task-fails', 'the crew fails'],
	['output=200KB', 'the crew’s result has 200 KB'],
].map(([kind = '', what = '']) => ({
	what,
	faults: (position) => [`${kind}@work+${skipped(position)}*1`],
}));

/** While waiting, a message names the execution that it is about. */
const EXECUTION = / \(kickoff_id [^)]+\)$/;

/** Nothing can be asked, and what is told does not come as it should. */
const pairRows = [...CALLBACKS].flatMap(([kind, tells]) =>
	['drop-after', '503', 'html'].map((status): Row => ({
		what: `call and event: each ${tells}, and the status: the server ${REQUEST_FAULTS.get(status) ?? ''}`,
		faults: (position) => [
			...['crew', 'stream'].map((place) => `${kind}@${place}+${skipped(position)}*1`),
			`${status}@status`,
		],
	})),
);

let benches: WaitingBench[];

beforeAll(async () => {
	benches = await Promise.all(
		Array.from({ length: BENCHES }, async () => await WaitingBench.open()),
	);
});

afterAll(async () => {
	await Promise.all(
		benches.map(async (bench) => {
			await bench.close();
		}),
	);
});

/** What each item came to: its status, or its message. Throws where a promise is not kept. */
function settle(cell: WaitingCell, facts: WaitingFacts): string[] {
	const { run, kickoffIds, open, ends, elapsed } = facts;
	const items = run.outputs.flat();
	const about = { cell, error: run.error, json: items.map(({ json }) => json) };
	expect({ ...about, perItem: kickoffIds.map(({ length }) => length) }).toEqual({
		...about,
		error: undefined,
		perItem: [1, 1, 1],
	});
	expect({ ...about, order: items.map(inputOf) }).toEqual({ ...about, order: [0, 1, 2] });
	expect(items.map(({ json }) => json.kickoff_id)).toEqual(kickoffIds.flat());
	expect({ ...about, open }).toEqual({ ...about, open: 0 });
	expect(ends).toBeLessThanOrEqual(1);
	// With one more round of polling, and 20 s for its questions to each crew.
	expect(elapsed).toBeLessThan((LIMIT + 30 + ITEMS * 20) * 1_000);
	return items.map(({ json }) => {
		if (json.error === undefined || json.status !== undefined)
			return `\`${json.status as string}\``;
		const message = (json.error as string).replace(EXECUTION, '');
		return `_${documentedMessage(message) ?? 'not documented'}_`;
	});
}

function tell(outcomes: readonly string[], position: Position): string {
	const own = outcomes[skipped(position)] ?? '';
	const others = outcomes.filter((_, item) => item !== skipped(position));
	return others.every((other) => other === own)
		? `all ${own}`
		: `${own}, the others ${either([...new Set(others)])}`;
}

/** Runs each row in each setting, and gives it as a row of a table: the first item's crew, the last one's. */
async function rowsFor(wait: WaitingCell['wait'], rows: readonly Row[]): Promise<string[][]> {
	const cells = rows.flatMap(({ faults }) =>
		SETTINGS.map((setting): WaitingCell => ({
			...setting,
			wait,
			faults: faults(setting.position),
		})),
	);
	const outcomes: string[][] = [];
	let next = 0;
	await inCrewTime(
		async () =>
			await Promise.all(
				benches.map(async (bench) => {
					while (next < cells.length) {
						const index = next++;
						const cell = cells[index]!;
						outcomes[index] = settle(cell, await bench.run(cell));
					}
				}),
			),
	);
	const table = rows.map(({ what }, row) => {
		const effects = (['first', 'last'] as const).map((position) => {
			const told = cells.flatMap((cell, index) =>
				Math.floor(index / SETTINGS.length) === row && cell.position === position
					? tell(outcomes[index] ?? [], position)
					: [],
			);
			return either([...new Set(told)]);
		});
		return [what, ...effects];
	});
	return groupBy(table, (cells) => cells.slice(1).join('|')).flatMap((group) => group);
}

const head = ['What happens', 'to the crew that ends first', 'to the crew that ends last'];

it('until the crew calls back', async () => {
	const rows = await rowsFor('callback', [...callbackRows, ...workRows, ...statusRows]);
	expectOnPage('waiting for a callback', toTable(head, rows));
});

it('until the crew calls back, with a status that cannot be read', async () => {
	expectOnPage('two faults while waiting', toTable(head, await rowsFor('callback', pairRows)));
});

it('by polling', async () => {
	expectOnPage('polling', toTable(head, await rowsFor('polling', [...workRows, ...statusRows])));
});
