import type { Watched } from '../../../nodes/Crew/waiting/watched';
import { findRunning } from '../../../nodes/Crew/waiting/polling';

const watched = (count: number): Watched[] =>
	Array.from({ length: count }, (_, itemIndex) => ({
		itemIndex,
		kickoffId: `id-${itemIndex}`,
		since: 0,
		base: {},
	}));

/** Searches among so many executions, of which the one at `running` is under way; tells who was asked together. */
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
		['the first is under way', 200, 0, 10, [1]],
		['a later one is under way', 200, 5, 10, [1, 2, 4]],
		['none is under way', 40, -1, 10, [1, 2, 4, 8, 10, 10, 5]],
		['one may be asked at a time', 4, 2, 1, [1, 1, 1]],
		['there is none at all', 0, -1, 10, []],
	])(
		'asks in growing batches until it finds one: %s',
		async (_what, count, running, max, sizes) => {
			expect(await search(count, running, max)).toEqual(sizes);
		},
	);
});
