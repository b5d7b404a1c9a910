import { readRetryAfter, tellPause } from '../../../nodes/Crew/api/errors';

const NOW = Date.UTC(2025, 0, 1, 12, 0, 0);

describe('readRetryAfter', () => {
	it.each([
		['0', 0],
		['7', 7_000],
		[' 7 ', 7_000],
		[7, 7_000],
		['1.5', 1_500],
		['Wed, 01 Jan 2025 12:00:30 GMT', 30_000],
		['Wednesday, 01-Jan-25 12:00:30 GMT', 30_000],
		['Wed, 01 Jan 2025 11:59:00 GMT', 0],
		['9'.repeat(400), Infinity],
	])('reads %j', (value, expected) => {
		expect(readRetryAfter(value, NOW)).toBe(expected);
	});

	it.each([
		['-5'],
		['soon'],
		['5, 5'],
		['2025-01-01'],
		['Tue, 99 Foo 2025 GMT'],
		[''],
		[null],
		[['5']],
	])('finds nothing in %j', (value) => {
		expect(readRetryAfter(value, NOW)).toBeUndefined();
	});
});

describe('tellPause', () => {
	it.each([
		[61_500, 'It asked to wait 62 s before the next request.'],
		[undefined, undefined],
		[Infinity, undefined],
	])('for %s ms, says: %s', (milliseconds, expected) => {
		expect(tellPause(milliseconds)).toBe(expected);
	});
});
