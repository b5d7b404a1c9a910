import { pause as pauseOfNode } from '../../../nodes/Crew/api/pause';
import { readAhead } from '../../../nodes/Crew/operations/runItems';

jest.mock('../../../nodes/Crew/api/pause', () => {
	const actual = jest.requireActual<object>('../../../nodes/Crew/api/pause');
	return { pause: jest.fn((actual as { pause: typeof pauseOfNode }).pause) };
});
const pauseOnce = jest.mocked(pauseOfNode);
const pause = pauseOnce.getMockImplementation()!;

const MOST_TURNS = 30;

/** Work that runs until the test ends it. */
function openWork() {
	const log: string[] = [];
	const ends = new Map<number, () => void>();
	const work = async (index: number, read: string) => {
		log.push(`begin ${index} with ${read}`);
		await new Promise<void>((resolve) => ends.set(index, resolve));
		log.push(`end ${index}`);
	};
	const read = (index: number) => {
		log.push(`read ${index}`);
		return `value ${index}`;
	};
	/** Waits until nothing more happens until running work ends. */
	const rest = async () => {
		// Each start takes at most one turn of the timers.
		for (let turn = 0; turn < MOST_TURNS; turn++) {
			await new Promise((resolve) => setTimeout(resolve, 0));
		}
	};
	const end = async (index: number) => {
		ends.get(index)!();
		await rest();
	};
	const begun = () => log.filter((line) => line.startsWith('begin')).length;
	return { log, begun, read, work, rest, end };
}

it('reads the next item while work is running, and no further', async () => {
	const { log, read, work, rest, end } = openWork();
	const all = readAhead(4, () => 1, read, work);
	await rest();
	expect(log).toEqual(['read 0', 'begin 0 with value 0', 'read 1']);
	await end(0);
	expect(log.slice(3)).toEqual(['end 0', 'begin 1 with value 1', 'read 2']);
	for (const index of [1, 2, 3]) await end(index);
	await all;
	expect(log).toHaveLength(12);
});

it('reads ahead as many items as would start if the limit rose by half, once no more can start', async () => {
	const { log, read, work, rest, end } = openWork();
	const all = readAhead(20, () => 4, read, work);
	await rest();
	expect(log.slice(0, 8)).toEqual(
		[0, 1, 2, 3].flatMap((index) => [`read ${index}`, `begin ${index} with value ${index}`]),
	);
	expect(log.slice(8)).toEqual([4, 5, 6, 7, 8, 9].map((index) => `read ${index}`));
	for (let index = 0; index < 20; index++) await end(index);
	await all;
});

it('starts the next item as soon as any other has ended, however slow the rest are', async () => {
	const { log, read, work, rest, end } = openWork();
	const all = readAhead(5, () => 2, read, work);
	await rest();
	for (const index of [1, 2, 3, 4]) await end(index);
	expect(log.filter((line) => line.startsWith('begin'))).toEqual(
		[0, 1, 2, 3, 4].map((index) => `begin ${index} with value ${index}`),
	);
	await end(0);
	await all;
});

it('starts items one by one if several have ended together', async () => {
	const { begun, read, work, rest, end } = openWork();
	const pauses: Array<() => void> = [];
	const all = readAhead(12, () => 4, read, work);
	await rest();
	pauseOnce.mockImplementation(async () => {
		await new Promise<void>((resolve) => pauses.push(resolve));
	});
	expect(begun()).toBe(4);
	await Promise.all([0, 1, 2, 3].map(end));
	const counts = [begun()];
	while (pauses.length > 0) {
		pauses.shift()!();
		await rest();
		counts.push(begun());
	}
	pauseOnce.mockImplementation(pause);
	expect(counts.at(-1)).toBe(8);
	expect(counts.filter((count, step) => count > (counts[step - 1] ?? 4) + 1)).toEqual([]);
	for (let index = 4; index < 12; index++) await end(index);
	await all;
});

it.each([
	[1, 1],
	[7, 7],
	[50, 20],
])('runs no more at once than allowed: %i allowed, %i at once', async (limit, most) => {
	const { begun, read, work, rest, end } = openWork();
	const all = readAhead(20, () => limit, read, work);
	await rest();
	for (let index = 0; index < 20; index++) {
		expect(begun()).toBe(Math.min(20, index + most));
		await end(index);
	}
	await all;
});

it('runs more once more are allowed, and fewer once fewer are', async () => {
	const { begun, read, work, rest, end } = openWork();
	let limit = 2;
	const all = readAhead(20, () => limit, read, work);
	await rest();
	expect(begun()).toBe(2);
	limit = 5;
	await end(0);
	expect(begun()).toBe(6);
	limit = 1;
	for (const index of [1, 2, 3, 4]) await end(index);
	expect(begun()).toBe(6);
	await end(5);
	expect(begun()).toBe(7);
	limit = 20;
	for (let index = 6; index < 20; index++) await end(index);
	await all;
});

it('does nothing if there are no items', async () => {
	const { log, read, work } = openWork();
	await readAhead(0, () => 10, read, work);
	expect(log).toEqual([]);
});
