import { readCallback } from '../../../nodes/Crew/model/callback';
import { readExecution } from '../../../nodes/Crew/model/execution';
import { readNews } from '../../../nodes/Crew/model/news';
import { readTokenUsage } from '../../../nodes/Crew/model/tokenUsage';

const COUNTS = { total_tokens: 7, prompt_tokens: 4, completion_tokens: 3 };

describe('readTokenUsage', () => {
	it.each<[string, Record<string, unknown>, object]>([
		['usage_metrics', { usage_metrics: COUNTS }, { token_usage: COUNTS }],
		['token_usage', { token_usage: COUNTS }, { token_usage: COUNTS }],
		[
			'token_usage if there are both',
			{ usage_metrics: { total_tokens: 1 }, token_usage: COUNTS },
			{ token_usage: COUNTS },
		],
		[
			'usage_metrics if the other one is empty',
			{ usage_metrics: COUNTS, token_usage: {} },
			{ token_usage: COUNTS },
		],
		[
			'only the three known counts',
			{ usage_metrics: { ...COUNTS, cached_prompt_tokens: 0, successful_requests: 2 } },
			{ token_usage: COUNTS },
		],
		[
			'the counts in the result',
			{ status: 'completed', result: { output: 'Bees', usage_metrics: COUNTS } },
			{ token_usage: COUNTS },
		],
		[
			'the counts in a result as text',
			{ result: JSON.stringify({ raw: 'Bees', token_usage: COUNTS }) },
			{ token_usage: COUNTS },
		],
		[
			'those beside the result if there are both',
			{ token_usage: COUNTS, result: { token_usage: { total_tokens: 1 } } },
			{ token_usage: COUNTS },
		],
		['a single count', { token_usage: { total_tokens: 0 } }, { token_usage: { total_tokens: 0 } }],
		['nothing', {}, {}],
		['null', { usage_metrics: null }, {}],
		['something that is not a count', { usage_metrics: { total_tokens: 'many' } }, {}],
		['text', { token_usage: '7' }, {}],
	])('reads %s', (_what, record, usage) => {
		expect(readTokenUsage(record)).toEqual(usage);
	});

	it('is part of a status, of a crew’s callback and of the news for a wait', () => {
		expect(readExecution({ state: 'SUCCESS', usage_metrics: COUNTS })).toMatchObject({
			token_usage: COUNTS,
		});
		const body = { kickoff_id: 'id', result: 'Bees', usage_metrics: COUNTS };
		const [event] = readCallback(body, 'crew');
		expect(event).toEqual({ ...body, output: 'Bees', token_usage: COUNTS, event: 'crew' });
		expect(readNews(event!)).toEqual({
			status: 'completed',
			output: 'Bees',
			token_usage: COUNTS,
		});
	});
});
