import { measureInPairs } from '../../../bench/src/pairs';

/** Two sides that return these figures one after the other, and the order of the calls. */
function sidesWith(ours: number[], beside: number[]) {
	const order: string[] = [];
	const giving = (name: string, figures: number[]) => () => {
		order.push(name);
		return Promise.resolve(figures.shift() ?? NaN);
	};
	const before = () => Promise.resolve(order.push('-'));
	return { order, before, sides: { ours: giving('ours', ours), beside: giving('beside', beside) } };
}

it('takes turns, gets ready before each figure, and keeps the figures in order', async () => {
	const { order, before, sides } = sidesWith([1, 2, 3], [10, 20, 30]);

	const pairs = await measureInPairs(sides, { repetitions: 3, isWarmedUp: false, before });

	expect(pairs).toEqual({ ours: [1, 2, 3], beside: [10, 20, 30] });
	expect(order.join(' ')).toBe('- ours - beside - ours - beside - ours - beside');
});

it('keeps the warm-up pair apart from those that count', async () => {
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

it('fails if a side does', async () => {
	const { before, sides } = sidesWith([1, 2], [10, 20]);
	const ours = () => Promise.reject(new Error('The execution ended as error'));

	await expect(
		measureInPairs({ ...sides, ours }, { repetitions: 2, isWarmedUp: false, before }),
	).rejects.toThrow('The execution ended as error');
});

it.each([
	['NaN', [NaN], [10]],
	['an infinite number', [1], [Infinity]],
	['a divisor of zero', [1], [0]],
])('does not accept a pair with %s', async (_, ours, beside) => {
	const { before, sides } = sidesWith(ours, beside);

	await expect(
		measureInPairs(sides, { repetitions: 1, isWarmedUp: false, before }),
	).rejects.toThrow('no figures');
});
