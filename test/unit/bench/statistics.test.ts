import {
	isMissed,
	isMissedBeyondNoise,
	median,
	meets,
	missedPairs,
	ratiosOf,
	summaryOf,
} from '../../../bench/src/statistics';

const pairs = (ours: number[], beside: number[]) => ({
	ours: { name: 'Crew', figures: ours },
	beside: { name: 'Other', figures: beside },
});

it.each([
	[[3, 1, 2], 2],
	[[4, 1, 2, 3], 2.5],
	[[7], 7],
])('the median of %j is %d', (values, expected) => {
	expect(median(values)).toBe(expected);
});

it('nothing has no median', () => {
	expect(median([])).toBeNaN();
});

it('a summary has the median, the least and the most', () => {
	expect(summaryOf([5, 1, 30, 4, 6])).toEqual({ median: 5, least: 1, most: 30 });
});

it('each pair has a ratio, so that a slow moment affects both of its figures', () => {
	const ratios = ratiosOf(pairs([10, 100, 20], [20, 200, 10]));

	expect(ratios).toEqual([0.5, 0.5, 2]);
	expect(median(ratios)).toBe(0.5);
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
	[NaN, { most: 1 }, 1, false],
	[NaN, { least: 1 }, 1, false],
])('a ratio of %d meets %j, with a leeway of %d: %s', (ratio, target, leeway, expected) => {
	expect(meets(ratio, target, leeway)).toBe(expected);
});

it('the median of the ratios decides whether a target is missed, and missed pairs are counted', () => {
	const result = { ...pairs([5, 7, 9, 4, 8], [10, 10, 10, 10, 10]), target: { most: 0.6 } };

	expect(isMissed(result)).toBe(true);
	expect(missedPairs(result)).toBe(3);
	expect(isMissed({ ...result, target: { most: 0.7 } })).toBe(false);
	expect(isMissed({ ...result, target: { least: 0.8 } })).toBe(true);
});

it('a row without a target cannot miss it', () => {
	const result = pairs([100], [1]);

	expect(isMissed(result)).toBe(false);
	expect(missedPairs(result)).toBe(0);
	expect(isMissedBeyondNoise(result)).toBe(false);
});

describe('a miss is beyond noise', () => {
	const target = { most: 1 };

	it('if every single pair is more than twice as bad as the target', () => {
		expect(isMissedBeyondNoise({ ...pairs([3, 2.1], [1, 1]), target })).toBe(true);
		expect(isMissedBeyondNoise({ ...pairs([0.4, 0.3], [1, 1]), target: { least: 0.95 } })).toBe(
			true,
		);
	});

	it('but not if one pair is better', () => {
		expect(isMissedBeyondNoise({ ...pairs([3, 3, 1.9], [1, 1, 1]), target })).toBe(false);
	});

	it('if a count misses it at all', () => {
		expect(isMissedBeyondNoise({ ...pairs([11], [10]), target, isCount: true })).toBe(true);
		expect(isMissedBeyondNoise({ ...pairs([10], [10]), target, isCount: true })).toBe(false);
	});
});
