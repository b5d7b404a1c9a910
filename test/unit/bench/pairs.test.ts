import { measureInPairs } from '../../../bench/src/pairs';

/** Two sides that give these figures one after the other, and note when they were asked. */
function sidesWith(ours: number[], beside: number[]) {
	const order: string[] = [];
	const giving = (name: string, figures: number[]) => () => {
		order.push(name);
		return Promise.resolve(figures.shift() ?? NaN);
	};
	const before = () => Promise.resolve(order.push('-'));
	return { order, before, sides: { ours: giving('ours', ours), beside: giving('beside', beside) } };
}

it('takes turns, makes ready before each figure, and keeps the figures in their order', async () => {
	const { order, before, sides } = sidesWith([1, 2, 3], [10, 20, 30]);

	const pairs = await measureInPairs(sides, { repetitions: 3, isWarmedUp: false, before });

	expect(pairs).toEqual({ ours: [1, 2, 3], beside: [10, 20, 30] });
	expect(order.join(' ')).toBe('- ours - beside - ours - beside - ours - beside');
});

it('keeps the pair that warms up apart from those that count', async () => {
	const { order, before, sides } = sidesWith([99, 1, 2], [999, 10, 20]);
	const told: number[][] = [];

	const pairs = await measureInPairs(sides, {
		repetitions: 2,
		isWarmedUp: true,
		before,
		onPair: (...pair) => told.push(pair),
	});

	expect(pairs).toEqual({
		ours: [1, 2],
		beside: [10, 20],
		warmUp: { ours: 99, beside: 999 },
	});
	expect(order.filter((each) => each === 'ours')).toHaveLength(3);
	expect(told).toEqual([
		[0, 99, 999],
		[1, 1, 10],
		[2, 2, 20],
	]);
});

it('gives up if a side does not do its work', async () => {
	const { before, sides } = sidesWith([1, 2], [10, 20]);
	const ours = () => Promise.reject(new Error('The execution ended as error'));

	await expect(
		measureInPairs({ ...sides, ours }, { repetitions: 2, isWarmedUp: false, before }),
	).rejects.toThrow('The execution ended as error');
});

it.each([
	['no number', [NaN], [10]],
	['an infinite one', [1], [Infinity]],
	['nothing to divide by', [1], [0]],
])('takes %s for no figure', async (_, ours, beside) => {
	const { before, sides } = sidesWith(ours, beside);

	await expect(
		measureInPairs(sides, { repetitions: 1, isWarmedUp: false, before }),
	).rejects.toThrow('no figures');
});
