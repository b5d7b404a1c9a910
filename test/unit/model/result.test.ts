import { readExecution, readResult } from '../../../nodes/Crew/model/execution';

const TASKS = [{ task_id: 't1', output: 'Bees dance.', agent: 'Writer', execution_time: 1.5 }];
const CREW_OUTPUT = {
	raw: 'Bees dance.',
	pydantic: null,
	json_dict: { title: 'Bees' },
	tasks_output: TASKS,
	token_usage: { total_tokens: 7 },
};

describe('readResult', () => {
	it.each([
		['text', 'Bees dance.', { output: 'Bees dance.' }],
		['nothing', null, {}],
		['empty text', '', { output: '' }],
		['a number', 42, { output: '42' }],
		[
			'an object',
			{ title: 'Bees' },
			{ output: '{"title":"Bees"}', output_json: { title: 'Bees' } },
		],
		['a list', [1], { output: '[1]', output_json: [1] }],
		['a list as text', '[1]', { output: '[1]', output_json: [1] }],
		['an object with text', { output: 'Bees' }, { output: 'Bees' }],
		[
			'an object with an object',
			{ output: { title: 'Bees' } },
			{ output: '{"title":"Bees"}', output_json: { title: 'Bees' } },
		],
		['an object with JSON as text', { output: '[1]' }, { output: '[1]', output_json: [1] }],
		[
			'an object without its text',
			{ output: null, tasks: [] },
			{
				output: '{"output":null,"tasks":[]}',
				output_json: { output: null, tasks: [] },
			},
		],
		['JSON text with tasks', JSON.stringify({ output: 'Bees', tasks: TASKS }), { output: 'Bees' }],
		[
			'JSON text with counts of tokens',
			JSON.stringify({ raw: 'Bees', usage_metrics: { total_tokens: 7 } }),
			{ output: 'Bees' },
		],
		['a crew’s output', CREW_OUTPUT, { output: 'Bees dance.', output_json: { title: 'Bees' } }],
		[
			'a crew’s output as text',
			JSON.stringify(CREW_OUTPUT),
			{ output: 'Bees dance.', output_json: { title: 'Bees' } },
		],
		[
			'JSON text that happens to have an output',
			'{"output":"Bees","score":3}',
			{ output: '{"output":"Bees","score":3}', output_json: { output: 'Bees', score: 3 } },
		],
	])('reads %s', (_what, result, expected) => {
		expect(readResult({ result })).toEqual(expected);
	});

	it.each([
		[
			'a crew’s output without a wrapper',
			CREW_OUTPUT,
			{ output: 'Bees dance.', output_json: { title: 'Bees' } },
		],
		[
			'result_json as text',
			{ result: 'Bees', result_json: '{"a":1}' },
			{ output: 'Bees', output_json: { a: 1 } },
		],
		['only result_json', { result_json: { a: 1 } }, { output_json: { a: 1 } }],
		['output if there is no result', { output: 'Bees' }, { output: 'Bees' }],
	])('reads %s', (_what, record, expected) => {
		expect(readResult(record)).toEqual(expected);
	});
});

describe('the tasks of an execution', () => {
	it.each([
		['in the result', { result: { output: '', tasks: TASKS } }],
		['in the result’s text', { result: JSON.stringify({ tasks: TASKS }) }],
		['as tasks_output', { result: CREW_OUTPUT }],
		['next to the result', { tasks: TASKS }],
		['next to a result with something else of that name', { result: { tasks: 3 }, tasks: TASKS }],
	])('are found %s', (_where, rest) => {
		expect(readExecution({ status: 'completed', ...rest }).tasks).toEqual(TASKS);
	});
});
