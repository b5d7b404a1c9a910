import { mergeNews, readNews } from '../../../nodes/Crew/model/news';
import type { CallbackEvent } from '../../../nodes/Crew/model/callback';
import type { Execution } from '../../../nodes/Crew/model/execution';

const stream = (type: string, data?: unknown): CallbackEvent => ({ event: 'stream', type, data });

describe('what a callback says about the end', () => {
	it.each<[string, CallbackEvent, Execution | undefined]>([
		['crew', { event: 'crew', result: 'Bees' }, { status: 'completed', output: 'Bees' }],
		['crew without a result', { event: 'crew' }, { status: 'completed' }],
		[
			'crew that says failed',
			{ event: 'crew', state: 'FAILURE', result: 'No' },
			{ status: 'failed', error: 'No' },
		],
		['crew that says stopped', { event: 'crew', status: 'revoked' }, { status: 'stopped' }],
		[
			'crew that says running',
			{ event: 'crew', status: 'running', result: 'a' },
			{ status: 'completed', output: 'a' },
		],
		[
			'human input',
			{ event: 'human_input', task_id: 't', task_output: 'Draft' },
			{ status: 'pending_human_input', task_id: 't', task_output: 'Draft' },
		],
		['human input without a word', { event: 'human_input' }, { status: 'pending_human_input' }],
		[
			'stream: completed',
			stream('crew_kickoff_completed', { output: 'a' }),
			{ status: 'completed', output: 'a' },
		],
		[
			'stream: completed without data',
			stream('crew_kickoff_completed', 'x'),
			{ status: 'completed' },
		],
		[
			'stream: failed',
			stream('crew_kickoff_failed', { error: 'No' }),
			{ status: 'failed', error: 'No' },
		],
		[
			'stream: failed with an object',
			stream('crew_kickoff_failed', { error: { message: 'No' } }),
			{ status: 'failed', error: 'No' },
		],
		[
			'stream: failed with a message',
			stream('crew_kickoff_failed', { message: 'No' }),
			{ status: 'failed', error: 'No' },
		],
		['stream: failed without data', stream('crew_kickoff_failed'), { status: 'failed' }],
		['stream: something else', stream('task_completed', { output: 'a' }), undefined],
		['task', { event: 'task', output: 'a' }, undefined],
		['step', { event: 'step', thought: 'a' }, undefined],
		['something unknown', { event: 'unknown', result: 'a' }, undefined],
	])('%s', (_what, event, news) => {
		expect(readNews(event)).toEqual(news);
	});
});

describe('a callback’s news and the status', () => {
	const told: Execution = {
		status: 'completed',
		output: 'told',
		output_json: { told: true },
		execution_time: 7,
	};

	it.each<[string, Execution, Execution]>([
		['both say the same', { status: 'completed', tasks: [1] }, { ...told, tasks: [1] }],
		[
			'the status has a result',
			{ status: 'completed', output: 'asked' },
			{ status: 'completed', output: 'asked', execution_time: 7 },
		],
		[
			'the status says otherwise',
			{ status: 'failed', error: 'No' },
			{ status: 'failed', error: 'No' },
		],
	])('are merged: %s', (_what, asked, merged) => {
		expect(mergeNews(asked, told)).toEqual(merged);
	});

	it('have the result first, and the token counts last', () => {
		const usage = { token_usage: { total_tokens: 1, prompt_tokens: 1, completion_tokens: 0 } };
		const order = (asked: Execution, news: Execution) => Object.keys(mergeNews(asked, news));
		const told: Execution = { status: 'completed', output: 'told', ...usage };
		const names = ['status', 'output', 'tasks', 'token_usage'];
		expect(order({ status: 'completed', tasks: [1] }, told)).toEqual(names);
		expect(order({ status: 'completed', output: 'asked', tasks: [1] }, told)).toEqual(names);
	});
});

describe('a callback’s question, and a status that asks a person', () => {
	const told: Execution = { status: 'pending_human_input', task_id: 'uuid', task_output: 'Draft' };
	const last = (task: object) => ({ progress: { last_executed_task: task } });

	it.each<[string, Execution, Partial<Execution>]>([
		['has no name for the task', { ...told, task_id: undefined, task_output: 'Sources' }, told],
		[
			'names the task that was executed last',
			{ ...told, ...last({ task_id: 'find' }), task_id: 'find', task_output: 'Sources' },
			told,
		],
		[
			'names the task itself',
			{ ...told, ...last({ task_id: 'find' }), task_id: 'write', task_output: 'Text' },
			{ task_id: 'write', task_output: 'Text' },
		],
	])('are merged if the status %s', (_what, asked, merged) => {
		expect(mergeNews(asked, told)).toEqual({ ...asked, ...merged });
	});

	it('add nothing if the question has no details', () => {
		const asked: Execution = { status: 'pending_human_input', task_output: 'Sources' };
		expect(mergeNews(asked, { status: 'pending_human_input' })).toEqual(asked);
	});
});
