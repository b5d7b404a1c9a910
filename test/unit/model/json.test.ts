import {
	asText,
	defined,
	firstId,
	isOn,
	isTooMuchText,
	own,
	parseJson,
	structured,
} from '../../../nodes/Crew/model/json';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
	it('reads JSON, even with a byte order mark', () => {
		expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
	});

	it.each(['', ' ', '{', 'Healthy', '<html>', 'undefined', "{'a':1}", '{"a":1}{'])(
		'finds nothing in %j',
		(text) => {
			expect(parseJson(text)).toBeUndefined();
		},
	);

	it('reads 500 levels, and nothing deeper', () => {
		expect(parseJson(nested(500))).toBeDefined();
		expect(parseJson(nested(501))).toBeUndefined();
		expect(parseJson(nested(1_000_000))).toBeUndefined();
		expect(parseJson(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)).toBeUndefined();
	});

	it.each([
		['numbers', `[${'0,'.repeat(1_000_000)}0]`],
		['objects', `[${'{},'.repeat(1_000_000)}0]`],
		['names', `{${Array.from({ length: 1_000_001 }, (_, index) => `"${index}":0`).join()}}`],
	])('reads no more than a million values: %s', (_what, text) => {
		expect(isTooMuchText(text)).toBe(true);
		expect(parseJson(text)).toBeUndefined();
	});

	it('does not count characters in text as values', () => {
		const prose = '[{,"\\'.repeat(1_000_000);
		const text = JSON.stringify({ [prose]: [prose, prose] });
		expect(isTooMuchText(text)).toBe(false);
		expect(parseJson(text)).toEqual({ [prose]: [prose, prose] });
	});

	it('keeps the key __proto__ as an own property, and leaves all other objects alone', () => {
		const value = parseJson('{"__proto__":{"polluted":true}}');
		expect(Object.keys(value as object)).toEqual(['__proto__']);
		expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
	});
});

describe('own', () => {
	it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
		'finds no inherited %s',
		(name) => {
			expect(own({}, name)).toBeUndefined();
		},
	);

	it.each([[['a']], ['text'], [7], [null], [undefined]])('finds nothing in %j', (value) => {
		expect(own(value, 'length')).toBeUndefined();
	});
});

describe('firstId', () => {
	it.each([
		['text', { id: ' abc ' }, 'abc'],
		['a whole number', { id: 42 }, '42'],
		['zero', { id: 0 }, '0'],
		['the first of several', { kickoff_id: 1, id: 'b' }, '1'],
		['the next one if the first is blank', { kickoff_id: ' ', id: 'b' }, 'b'],
		['nothing in a number that has lost digits', { id: 2 ** 53 }, undefined],
		['nothing in a fraction', { id: 1.5 }, undefined],
		['nothing in an object', { id: {} }, undefined],
		['nothing in a list', ['id'], undefined],
	])('reads %s', (_what, record, expected) => {
		expect(firstId(record, 'kickoff_id', 'id')).toBe(expected);
	});
});

describe('structured', () => {
	it.each([
		['an object', { a: 1 }, { a: 1 }],
		['a list', [1], [1]],
		['an object as text', ' {"a":1}', { a: 1 }],
		['a list as text', '\n[1]', [1]],
		['no number as text', '42', undefined],
		['no quoted text', '"a"', undefined],
		['no prose in brackets', '[sic] is Latin', undefined],
		['nothing else', 42, undefined],
	])('accepts %s', (_what, value, expected) => {
		expect(structured(value)).toEqual(expected);
	});
});

describe('asText', () => {
	it('returns nothing for a value too deep to be written as JSON', () => {
		let deep: unknown[] = [];
		for (let depth = 0; depth < 100_000; depth++) deep = [deep];
		expect(asText(deep)).toBeUndefined();
	});

	it.each([
		['text as it is', 'a "b"', 'a "b"'],
		['an object as JSON', { a: [1] }, '{"a":[1]}'],
		['false as text', false, 'false'],
		['nothing for null', null, undefined],
	])('returns %s', (_what, value, expected) => {
		expect(asText(value)).toBe(expected);
	});
});

describe('isOn', () => {
	it.each<[unknown, boolean]>([
		...[true, 'true', 'TRUE', 'yes', 1, '1'].map((value) => [value, true] as [unknown, boolean]),
		...[false, 'false', ' False ', 'no', 0, '0'].map(
			(value) => [value, false] as [unknown, boolean],
		),
	])('reads %j', (value, expected) => {
		expect([isOn(value, true), isOn(value, false)]).toEqual([expected, expected]);
	});

	it.each([[undefined], [null], [''], ['  ']])('means the default by %j', (value) => {
		expect([isOn(value, true), isOn(value, false)]).toEqual([true, false]);
	});
});

describe('defined', () => {
	it('drops undefined fields, and nothing else', () => {
		const record = { a: undefined, b: null, c: '', d: 0 };
		expect(Object.keys(defined(record))).toEqual(['b', 'c', 'd']);
	});
});
