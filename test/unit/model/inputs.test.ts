import { readInputs } from '../../../nodes/Crew/model/inputs';

const TOPIC = { name: 'topic', type: 'string', required: true, description: 'What about' };
const NAMES = [{ name: 'topic' }, { name: 'year' }];
const TYPED = [
	{ name: 'topic', type: 'string' },
	{ name: 'year', type: 'integer' },
];
const SCHEMA = {
	type: 'object',
	properties: {
		topic: { type: 'string', description: 'What about' },
		year: { type: ['null', 'integer'] },
		tone: { anyOf: [{ type: 'null' }, { type: 'string' }] },
	},
	required: ['topic'],
};
const FROM_SCHEMA = [
	TOPIC,
	{ name: 'year', type: 'integer', required: false },
	{ name: 'tone', type: 'string', required: false },
];

describe('readInputs', () => {
	it.each([
		['names', ['topic', 'year'], NAMES],
		['name to type', { topic: 'string', year: 'integer' }, TYPED],
		['objects', [TOPIC, { name: 'year' }], [TOPIC, { name: 'year' }]],
		['objects with id or key', [{ id: 'topic' }, { key: 'year' }], NAMES],
		['name to object', { topic: { type: 'string' }, year: { type: 'integer' } }, TYPED],
		['a JSON Schema', SCHEMA, FROM_SCHEMA],
		['an empty list', [], []],
		['an empty object', {}, []],
		['a name twice, once', ['topic', 'topic', 'year'], NAMES],
	])('reads %s, with and without the wrapper', (_what, inputs, expected) => {
		expect(readInputs({ inputs })).toEqual(expected);
		expect(readInputs(inputs)).toEqual(expected);
	});

	it.each([
		['null for none', { inputs: null }, []],
		[
			'a type in the crew’s own words',
			{ inputs: { a: 'my.Type' } },
			[{ name: 'a', type: 'my.Type' }],
		],
		['a name without a description', { inputs: { topic: null } }, [{ name: 'topic' }]],
		['inputs with another field next to them', { inputs: ['topic', 'year'], version: 2 }, NAMES],
		[
			'the name __proto__',
			JSON.parse('{"inputs":{"__proto__":"string"}}'),
			[{ name: '__proto__', type: 'string' }],
		],
		[
			'an input that is named properties',
			{ inputs: { properties: 'string' } },
			[{ name: 'properties', type: 'string' }],
		],
		[
			'only fields of the right type',
			{ inputs: [{ name: 'a', type: 7, required: 'yes', description: [] }] },
			[{ name: 'a' }],
		],
	])('reads %s', (_what, body: unknown, expected) => {
		expect(readInputs(body)).toEqual(expected);
	});

	it.each([
		['the health word', 'Healthy'],
		['nothing', undefined],
		['null', null],
		['a number', 7],
		['text as inputs', { inputs: 'topic' }],
		['an object of something else', { status: 'ok', version: '1.2' }],
		['an error object', { error: { type: 'invalid_request', message: 'No' } }],
		['a list of numbers', [1, 2]],
		['a list with a nameless entry', ['topic', {}]],
		['a list with a blank name', ['topic', ' ']],
		['an object with a blank name', { inputs: { topic: 'string', ' ': null } }],
		['a list in a list', [['topic']]],
	])('finds no inputs in %s', (_what, body) => {
		expect(readInputs(body)).toBeUndefined();
	});
});
