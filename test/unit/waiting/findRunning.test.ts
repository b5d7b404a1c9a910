import type { Watched } from '../../../nodes/Crew/waiting/watched';
import { findRunning } from '../../../nodes/Crew/waiting/polling';

const watched = (count: number): Watched[] =>
	Array.from({ length: count }, (_, itemIndex) => ({
		itemIndex,
		kickoffId: `id-${itemIndex}`,
		since: 0,
		base: {},
	}));

/** Searches this many executions, of which the one at `running` is running; returns the sizes of the batches. */
async function search(count: number, running: number, maxParallel: number) {
	const batches: number[][] = [];
	let batch: number[] = [];
	await findRunning(watched(count), maxParallel, async (one) => {
		if (batch.length === 0) batches.push(batch);
		batch.push(one.itemIndex);
		await new Promise(setImmediate);
		batch = [];
		if (one.itemIndex !== running) one.execution = { status: 'completed' };
	});
	return batches.map(({ length }) => length);
}

describe('findRunning', () => {
	it.each([
		['the first is running', 200, 0, 10, [1]],
		['a later one is running', 200, 5, 10, [1, 2, 4]],
		['none is running', 40, -1, 10, [1, 2, 4, 8, 10, 10, 5]],
		['only one request at a time', 4, 2, 1, [1, 1, 1]],
		['no executions', 0, -1, 10, []],
	])(
		'asks in growing batches until it finds one: %s',
		async (_what, count, running, max, sizes) => {
			expect(await search(count, running, max)).toEqual(sizes);
		},
	);
});
