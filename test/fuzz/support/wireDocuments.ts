import { DIALECTS, KICKOFF_ID, type OperationName } from '../../support/crewOperations';

/** Correct answers in both dialects. */
const answersOf = (operation: OperationName): unknown[] =>
	DIALECTS.map(({ successes }) => successes[operation].answer);

export const INPUTS = [
	...answersOf('getInputs'),
	{ inputs: { topic: 'string', year: 'integer' } },
	{ type: 'object', properties: { topic: { anyOf: [{ type: 'string' }] } }, required: ['topic'] },
	['topic', 'year'],
];

export const KICKOFFS = answersOf('kickoff');
export const RESUMES = [...answersOf('resume'), { kickoff_id: KICKOFF_ID }];

export const STATUSES = [
	...answersOf('getStatus'),
	{ status: 'running', current_task: 'a', progress: { completed_tasks: 1, total_tasks: 2 } },
	{ status: 'error', error: 'Out of tokens', execution_time: 3 },
	{ state: 'FAILURE', result: { message: 'Out of tokens' }, last_executed_task: { name: 'a' } },
	{ state: 'SUCCESS', result: '{"raw":"Bees","tasks_output":[]}', result_json: null },
	{
		...{ state: 'SUCCESS', status: null, result: 'Bees', last_step: null },
		usage_metrics: { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 },
		progress: { unit: 'task', completed: 1, total: null, current: 'write' },
	},
	{ status: 'Pending Human Input', pending_task: { id: 'write', output: { raw: 'Bees' } } },
];

export const ERRORS = [
	{ error: 'Validation Error', message: 'No', details: { missing_inputs: ['topic'] } },
	{ detail: 'Execution not found' },
	{ detail: [{ loc: ['body', 'inputs', 'topic'], msg: 'Field required', type: 'missing' }] },
	{ detail: 'Missing inputs: audience, topic' },
	'<html></html>',
];

const meta = { n8n: { execution: '1' } };

export const CALLBACKS = [
	{ name: 'a', description: 'b', expected_output: 'c', summary: 'd', output: '{"a":1}', meta },
	{ prompt: 'a', thought: 'b', tool: 'c', tool_input: '{}', result: 'd', kickoff_id: KICKOFF_ID },
	{
		kickoff_id: KICKOFF_ID,
		result: 'Bees',
		result_json: null,
		token_usage: { total_tokens: 1 },
		meta,
	},
	{ execution_id: KICKOFF_ID, task_id: 'write', task_output: { raw: 'Bees' }, meta },
	{
		events: [
			{
				id: 'e1',
				execution_id: KICKOFF_ID,
				timestamp: '2026-11-21T08:00:00Z',
				type: 'task_started',
			},
			{
				id: 'e2',
				execution_id: KICKOFF_ID,
				timestamp: 1_763_712_000,
				type: 'crew_kickoff_failed',
				data: { error: { message: 'Out of tokens' } },
			},
		],
	},
	{ state: 'FAILURE', kickoff_id: KICKOFF_ID, result: 'Out of tokens' },
];
