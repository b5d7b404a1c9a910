import { readExecution } from '../../../nodes/Crew/model/execution';
import { defined } from '../../../nodes/Crew/model/json';

const TASKS = [{ task_id: 't1', output: 'Bees dance.', agent: 'Writer', execution_time: 1.5 }];

describe('readExecution, documented dialect', () => {
	it.each([
		[
			'running',
			{
				status: 'running',
				current_task: 't2',
				progress: { completed_tasks: 1, total_tasks: 3 },
			},
			{
				status: 'running',
				progress: { completed_tasks: 1, total_tasks: 3, current_task: 't2' },
			},
		],
		[
			'completed',
			{
				status: 'completed',
				result: { output: 'Bees dance.', tasks: TASKS },
				execution_time: 12.5,
			},
			{ status: 'completed', output: 'Bees dance.', tasks: TASKS, execution_time: 12.5 },
		],
		[
			'failed',
			{ status: 'error', error: 'Quota used up', execution_time: '3' },
			{ status: 'failed', error: 'Quota used up', execution_time: 3 },
		],
		[
			'waiting for a person',
			{ status: 'pending_human_input', task_id: 't1', task_output: 'A draft' },
			{ status: 'pending_human_input', task_id: 't1', task_output: 'A draft' },
		],
	])('reads an execution: %s', (_what, body, expected) => {
		expect(readExecution(body)).toEqual(expected);
	});
});

describe('readExecution, task-queue dialect', () => {
	it.each([
		['queued', { state: 'PENDING' }, { status: 'started' }],
		[
			'running, with the platform’s progress',
			{
				state: 'RUNNING',
				status: 'Task is Running',
				result: null,
				usage_metrics: null,
				progress: { unit: 'step', completed: 2, total: null, remaining: null },
			},
			{
				status: 'running',
				progress: { unit: 'step', completed: 2, total: null, remaining: null },
			},
		],
		[
			'completed, with the platform’s fields',
			{
				state: 'SUCCESS',
				status: null,
				result: 'Bees',
				result_json: null,
				usage_metrics: { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 },
				last_executed_task: null,
			},
			{
				status: 'completed',
				output: 'Bees',
				token_usage: { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 },
			},
		],
		[
			'failed with an exception’s text',
			{ state: 'FAILED', status: 'Quota used up', result: null },
			{ status: 'failed', error: 'Quota used up' },
		],
		[
			'not known, which does not count as an end',
			{ state: 'NOT FOUND', status: 'Task not found or Invalid kickoff id' },
			{ status: 'not_found' },
		],
		[
			'running',
			{ state: 'STARTED', last_step: { tool: 'search' }, last_executed_task: { name: 'a' } },
			{
				status: 'running',
				progress: { last_step: { tool: 'search' }, last_executed_task: { name: 'a' } },
			},
		],
		['being retried', { state: 'RETRY' }, { status: 'running' }],
		[
			'completed with text',
			{ state: 'SUCCESS', result: 'Bees dance.', result_json: null },
			{ status: 'completed', output: 'Bees dance.' },
		],
		[
			'completed with JSON as text',
			{ state: 'SUCCESS', result: '{"title":"Bees"}' },
			{ status: 'completed', output: '{"title":"Bees"}', output_json: { title: 'Bees' } },
		],
		[
			'completed with JSON next to the text',
			{ state: 'SUCCESS', result: 'Bees dance.', result_json: { title: 'Bees' } },
			{ status: 'completed', output: 'Bees dance.', output_json: { title: 'Bees' } },
		],
		[
			'failed, with the reason as result',
			{ state: 'FAILURE', status: 'FAILURE', result: 'Quota used up' },
			{ status: 'failed', error: 'Quota used up' },
		],
		[
			'failed, with the reason as status',
			{ state: 'FAILED', status: 'Quota used up', result: null },
			{ status: 'failed', error: 'Quota used up' },
		],
		[
			'stopped',
			{ state: 'REVOKED', result: 'terminated' },
			{ status: 'stopped', error: 'terminated' },
		],
		['not found', { state: 'NOT FOUND' }, { status: 'not_found' }],
		[
			'waiting for a person',
			{
				state: 'Pending Human Input',
				last_executed_task: { task_id: 't1', output: { raw: 'A draft', agent: 'Writer' } },
			},
			{
				status: 'pending_human_input',
				task_id: 't1',
				task_output: 'A draft',
				progress: {
					last_executed_task: { task_id: 't1', output: { raw: 'A draft', agent: 'Writer' } },
				},
			},
		],
	])('reads an execution: %s', (_what, body, expected) => {
		expect(readExecution(body)).toEqual(expected);
	});
});

describe('readExecution, mixtures', () => {
	it.each([
		['state and status disagree: state', { state: 'SUCCESS', status: 'running' }, 'completed'],
		[
			'state is queued, status asks a person: status',
			{ state: 'PENDING', status: 'Pending Human Input' },
			'pending_human_input',
		],
		[
			'state is running, status asks a person: status',
			{ state: 'RUNNING', status: 'awaiting_human_feedback' },
			'pending_human_input',
		],
		[
			'state does not know it, status asks a person: status',
			{ state: 'NOT FOUND', status: 'Pending Human Input' },
			'pending_human_input',
		],
		[
			'status asks a person, state has ended: state',
			{ state: 'SUCCESS', status: 'Pending Human Input' },
			'completed',
		],
		['status has ended, state has not: status', { state: 'STARTED', status: 'failed' }, 'failed'],
		['both have ended: state', { state: 'REVOKED', status: 'completed' }, 'stopped'],
		['state is queued, status runs: status', { state: 'PENDING', status: 'running' }, 'running'],
		['state is unknown: status', { state: 'CUSTOM', status: 'running' }, 'running'],
		['state is null: status', { state: null, status: 'completed' }, 'completed'],
		['neither is known: unknown', { state: 'CUSTOM', status: 'sleeping' }, 'unknown'],
	])('has the status if %s', (_what, body, status) => {
		expect(readExecution(body).status).toBe(status);
	});

	it.each([
		['an object', { message: 'No quota', code: 7 }, 'No quota'],
		['an object without a message', { code: 7 }, '{"code":7}'],
		['a list', ['No quota'], '["No quota"]'],
		['nothing', '', undefined],
		['an empty object', {}, undefined],
		['null', null, undefined],
		['false', false, undefined],
	])('reads a reason that is %s', (_what, error, expected) => {
		expect(readExecution({ status: 'failed', error }).error).toBe(expected);
	});

	it.each([
		[{ state: 'FAILURE', status: 'Timeout' }, 'Timeout'],
		[{ status: 'timed_out' }, 'timed_out'],
		[{ status: 'timed_out', message: 'Over 300 s' }, 'Over 300 s'],
		[{ state: 'FAILURE', status: 'Requires user consent' }, 'Requires user consent'],
		[{ state: 'FAILURE', status: 'Failed' }, undefined],
		[{ state: 'FAILURE', status: 'running' }, undefined],
	])('has the reason in a text that is also a word for a status: %j', (body, error) => {
		expect(readExecution(body)).toEqual(defined({ status: 'failed', error }));
	});

	it('has no error for an execution that is still running', () => {
		expect(readExecution({ status: 'running', error: 'One tool was slow' })).toEqual({
			status: 'running',
		});
	});

	it.each([
		['in pending_task', { pending_task: { id: 7, output: 'A draft' } }, '7', 'A draft'],
		['in human_input', { human_input: { task_id: 't1', task_output: 'A draft' } }, 't1', 'A draft'],
		[
			'as current_task',
			{ current_task: 't1', output: { title: 'Bees' } },
			't1',
			'{"title":"Bees"}',
		],
		['as a number', { task_id: 7 }, '7', undefined],
		['nowhere', {}, undefined, undefined],
	])('finds the task that a person is asked about %s', (_where, rest, taskId, taskOutput) => {
		const { task_id, task_output } = readExecution({ status: 'pending-human-input', ...rest });
		expect({ task_id, task_output }).toEqual({ task_id: taskId, task_output: taskOutput });
	});

	it.each([
		[12.5, 12.5],
		['12.5', 12.5],
		['soon', undefined],
		['', undefined],
		[null, undefined],
		[{}, undefined],
	])('reads %j as seconds', (execution_time, expected) => {
		expect(readExecution({ status: 'running', execution_time }).execution_time).toBe(expected);
	});

	it.each([['text'], [7], [null], [undefined], [[]], [{}], [{ status: {}, state: [] }]])(
		'knows nothing of %j',
		(body: unknown) => {
			expect(readExecution(body)).toEqual({ status: 'unknown' });
		},
	);
});
