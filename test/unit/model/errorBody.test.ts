import { readErrorBody } from '../../../nodes/Crew/model/errorBody';

const DOCUMENTED = {
	error: 'Validation Error',
	message: 'Missing required inputs',
	details: { missing_inputs: ['topic', 'year'] },
};
const field = (loc: unknown, type = 'missing') => ({
	detail: [{ loc, msg: 'Field required', type }],
});

describe('readErrorBody', () => {
	it.each([
		['the documented shape', DOCUMENTED],
		['the documented shape inside detail', { detail: DOCUMENTED }],
		['the documented shape inside error', { error: DOCUMENTED }],
		[
			'the names next to the message',
			{ message: DOCUMENTED.message, missing_inputs: ['topic', 'year'] },
		],
		[
			'the names as objects',
			{ message: DOCUMENTED.message, missing_inputs: [{ name: 'topic' }, { name: 'year' }] },
		],
	])('reads message and missing inputs of %s', (_what, body) => {
		expect(readErrorBody(body)).toEqual({
			message: 'Missing required inputs',
			missingInputs: ['topic', 'year'],
		});
	});

	it.each([
		['detail', { detail: 'Execution not found' }, 'Execution not found'],
		['error', { error: 'Unauthorized' }, 'Unauthorized'],
		['an error object', { error: { message: 'No quota', code: 7 } }, 'No quota'],
		['a detail object', { detail: { error: 'Conflict' } }, 'Conflict'],
		[
			'a problem document',
			{ type: 'about:blank', title: 'Not Found', detail: 'No such crew' },
			'No such crew',
		],
		['only a title', { title: 'Not Found', status: 404 }, 'Not Found'],
		['msg', { msg: 'Bad token' }, 'Bad token'],
		['bare text', 'Not allowed', 'Not allowed'],
		['a list of texts', { errors: ['One', 'Two'] }, 'One; Two'],
		['a bare list', [{ msg: 'One' }], 'One'],
	])('reads the message of %s', (_what, body, message) => {
		expect(readErrorBody(body)).toEqual({ message, missingInputs: [] });
	});

	it.each([
		['of an input', field(['body', 'inputs', 'topic']), 'topic'],
		['of a field', field(['body', 'task_id']), 'task_id'],
		['without the word body', field(['topic']), 'topic'],
		['of an older framework', field(['body', 'inputs', 'topic'], 'value_error.missing'), 'topic'],
		['of an input named inputs', field(['body', 'inputs', 'inputs']), 'inputs'],
		['of something inside a list', field(['body', 'inputs', 'pages', 0]), 'pages.0'],
	])('reads the name %s', (_what, body, name) => {
		expect(readErrorBody(body)).toEqual({
			message: `${name}: Field required`,
			missingInputs: [name],
		});
	});

	it.each([
		['Missing inputs: audience, topic', ['audience', 'topic']],
		['Missing required inputs: topic.', ['topic']],
		['missing input: topic', ['topic']],
		["Missing inputs: ['audience', 'topic']", ['audience', 'topic']],
		['Missing required inputs: "topic"', ['topic']],
		['Missing inputs', []],
		['The tool says: Missing inputs: a', []],
	])('reads the names in the text %j', (text, missingInputs) => {
		expect(readErrorBody({ detail: text })).toEqual({ message: text, missingInputs });
		expect(readErrorBody(text)).toEqual({ message: text, missingInputs });
	});

	it('names as missing only what is missing, each once', () => {
		const detail = [
			{ loc: ['body', 'inputs', 'topic'], msg: 'Field required', type: 'missing' },
			{ loc: ['body', 'inputs', 'topic'], msg: 'Field required', type: 'missing' },
			{ loc: ['body', 'inputs', 'year'], msg: 'Not a number', type: 'int_parsing' },
		];
		expect(readErrorBody({ detail }).missingInputs).toEqual(['topic']);
	});

	it.each([
		['nothing', undefined],
		['null', null],
		['blank text', ' '],
		['a number', 500],
		['an empty object', {}],
		['an empty list', { detail: [] }],
		['a list of blank text', [' ', '\n']],
		['other types', { error: 7, message: {}, details: 'none', detail: null }],
		['invalid names', { details: { missing_inputs: { topic: true } } }],
	])('finds nothing in %s', (_what, body) => {
		expect(readErrorBody(body)).toEqual({ message: undefined, missingInputs: [] });
	});

	it.each([
		['objects that cannot become text', [{ toString: 1 }, { valueOf: null }]],
		['lists in lists', [JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)]],
	])('copes with a location of %s', (_what, loc: unknown) => {
		expect(readErrorBody(field(loc))).toEqual({ message: 'Field required', missingInputs: [] });
	});
});
