import { limit, quickVariant, type Measure, type Row, type SideName } from '../../../bench/src/row';
import { rows } from '../../../bench/src/rows';
import { runRows, type RunOptions } from '../../../bench/src/run';

/** A row in which our side returns 1, 2, 3 and so on, and the other side 10 each time. */
function rowOf(change: Partial<Row> = {}): Row {
	let next = 1;
	return {
		name: 'one',
		what: (size) => `${size} things`,
		unit: 'ms',
		start: 'warm',
		ours: { name: 'Crew', prepare: () => Promise.resolve(() => Promise.resolve(next++)) },
		beside: limit(() => 10),
		target: { most: 1 },
		size: 7,
		...change,
	};
}

const broken = rowOf({
	name: 'broken',
	ours: { name: 'Crew', prepare: () => Promise.reject(new Error('n8n is gone')) },
});

/** Runs rows without an n8n; returns the log, and how often places were made ready and closed. */
async function run(all: readonly Row[], options: Partial<RunOptions> = {}) {
	const lines: string[] = [];
	let [readied, closed, ended] = [0, 0, 0];
	const places = {
		open: ({ size }: Row) => ({
			sides: { ours: { size }, beside: { size } },
			ready: () => Promise.resolve((readied += 1)),
			profile: (_: SideName, work: Measure) => work(),
			close: () => Promise.resolve((closed += 1)),
		}),
		endSharedN8n: () => Promise.resolve((ended += 1)),
	} as unknown as RunOptions['places'];
	const outcome = await runRows(all, {
		places,
		log: (line) => lines.push(line),
		isEnding: () => false,
		look: () => Promise.resolve(0.25),
		...options,
	});
	return { outcome, lines, readied, closed, ended };
}

it('counts five pairs after a warm-up if they do not agree, and keeps all raw figures', async () => {
	const { outcome, readied, closed } = await run([rowOf({ target: { most: 0.3 } })]);

	expect(outcome.failed).toEqual([]);
	expect(outcome.results).toEqual([
		expect.objectContaining({
			row: 'one',
			what: '7 things',
			ours: { name: 'Crew', figures: [2, 3, 4, 5, 6] },
			beside: { name: 'the limit', figures: [10, 10, 10, 10, 10] },
			warmUp: { ours: 1, beside: 10 },
		}),
	]);
	expect(readied).toBe(12);
	expect(closed).toBe(1);
});

it.each([
	['a cold row has no warm-up', { start: 'cold' as const }, [1, 2, 3]],
	['a count is measured once', { isCount: true }, [1]],
	['a row can say how many pairs count', { repetitions: 2 }, [2, 3]],
	['three pairs are enough without a target', { target: undefined }, [2, 3, 4]],
	['three pairs are enough if all of them meet it', { target: { most: 0.4 } }, [2, 3, 4]],
	['three pairs are enough if all of them miss it', { target: { least: 0.9 } }, [2, 3, 4]],
])('%s', async (_, change, figures) => {
	const { outcome } = await run([rowOf(change)]);

	expect(outcome.results[0]?.ours.figures).toEqual(figures);
});

it.each([
	['three pairs are enough if they take twenty seconds', {}, [2, 3, 4]],
	['a row that says how many pairs count has all of them', { repetitions: 4 }, [2, 3, 4, 5]],
])('%s', async (_, change, figures) => {
	const clock = jest.spyOn(performance, 'now');
	let now = 0;
	clock.mockImplementation(() => (now += 21_000));

	const { outcome } = await run([rowOf({ target: { most: 0.3 }, ...change })]);

	clock.mockRestore();
	expect(outcome.results[0]?.ours.figures).toEqual(figures);
});

it('reports a row that cannot be measured as a failure, and measures the others', async () => {
	const { outcome, lines, closed, ended } = await run([broken, rowOf()]);

	expect(outcome.failed).toEqual(['broken: n8n is gone']);
	expect(outcome.results.map(({ row }) => row)).toEqual(['one']);
	expect(lines).toContain('  NOT MEASURED: n8n is gone');
	expect(closed).toBe(2);
	expect(ended).toBe(1);
});

it('begins no further row while everything is being ended', async () => {
	await expect(run([broken, rowOf()], { isEnding: () => true })).rejects.toThrow('n8n is gone');
});

describe('the rows', () => {
	it('have different names', () => {
		expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
	});

	it('are in a quick run only if they have a quick variant, and with its size', () => {
		expect(quickVariant(rowOf())).toBeUndefined();
		expect(quickVariant(rowOf({ quick: { size: 2 } }))).toMatchObject({ name: 'one', size: 2 });
		expect(rows.map(quickVariant)).toContainEqual(expect.objectContaining({ name: 'resume' }));
	});
});

it('leaves out a row if the machine lacks something for it, and does not count that as a failure', async () => {
	const lacking = rowOf({ name: 'lacking', lacks: () => Promise.resolve('There is no Python') });
	const provided = rowOf({ name: 'provided', lacks: () => Promise.resolve(undefined) });
	const { outcome } = await run([lacking, provided]);

	expect(outcome.leftOut).toEqual(['lacking: There is no Python']);
	expect(outcome.failed).toEqual([]);
	expect(outcome.results.map(({ row }) => row)).toEqual(['provided']);
});
