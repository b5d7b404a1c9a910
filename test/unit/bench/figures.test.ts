import { hasTarget, holds, median, ratioOf } from '../../../bench/src/figures';

const ours = (...rounds: number[]) => ({ contender: 'Crew', rounds });
const theirs = (...rounds: number[]) => ({ contender: 'Other', rounds });

it.each([
	[[3, 1, 2], 2],
	[[4, 1, 2, 3], 2.5],
	[[7], 7],
])('the median of %j is %d', (values, expected) => {
	expect(median(values)).toBe(expected);
});

it('there is no median of nothing, and nothing holds beside it', () => {
	expect(median([])).toBeNaN();
	expect(holds(ratioOf(ours(), theirs()), { ...theirs(), most: 1 })).toBe(false);
	expect(holds(ratioOf(ours(), theirs()), { ...theirs(), least: 1 })).toBe(false);
});

it('a ratio is that of the rounds, so that what slows one round slows both', () => {
	expect(ratioOf(ours(10, 100, 20), theirs(20, 200, 10))).toBe(0.5);
});

it('a ratio is that of the medians where the rounds are not as many', () => {
	expect(ratioOf(ours(10, 30, 20), theirs(40))).toBe(0.5);
});

it.each([
	[0.6, { most: 0.6 }, 1, true],
	[0.61, { most: 0.6 }, 1, false],
	[1.2, { most: 0.6 }, 2, true],
	[1.21, { most: 0.6 }, 2, false],
	[0.95, { least: 0.95 }, 1, true],
	[0.94, { least: 0.95 }, 1, false],
	[0.475, { least: 0.95 }, 2, true],
	[0.47, { least: 0.95 }, 2, false],
	[100, {}, 1, true],
])('a ratio of %d beside %j, with a leeway of %d: %s', (ratio, target, leeway, expected) => {
	expect(holds(ratio, { ...theirs(1), ...target }, leeway)).toBe(expected);
});

it('a rival without a target is there to compare with', () => {
	expect(hasTarget(theirs(1))).toBe(false);
	expect(hasTarget({ ...theirs(1), most: 1 })).toBe(true);
	expect(hasTarget({ ...theirs(1), least: 1 })).toBe(true);
});
