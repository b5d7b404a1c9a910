import { ExecuteContext } from 'n8n-core';
import { MINUTE, runWait, type Refusal } from '../support/waitInN8n';
import { idOf, POLLED, WaitingCrew } from '../support/waitingCrew';

afterEach(() => {
	jest.restoreAllMocks();
});

describe('the wake', () => {
	const JSON_404 = { code: 404, message: 'The execution "execution-1" does not exist.' };
	const quickly = { ...POLLED, resumeAmount: 1, resumeUnit: 'minutes' };

	/** Lets the crew complete, and n8n answer the calls with these, one after the other. */
	async function wakeWith(...refusals: Refusal[]) {
		const crew = new WaitingCrew();
		crew.complete(0);
		let calls = 0;
		return await runWait(crew, quickly, {
			refuse: () => refusals[Math.min(calls++, refusals.length - 1)],
			forAtMost: 4 * MINUTE,
		});
	}

	it.each<[string, Refusal]>([
		['has finished', [409, { message: 'The execution "execution-1 has finished already.' }]],
		['has failed', [409, { message: 'The execution "execution-1" has finished with error.' }]],
		['has another signature', [401, { error: 'Invalid token' }]],
		['is not there any more', [404, JSON_404]],
		['waits at a form further on', [307, {}, { location: 'https://n8n/form-waiting/1' }]],
		['waits for other crews', [200, { ended: false, waiting: false }]],
	])('stops if the execution %s', async (_what, refusal) => {
		const { calls } = await wakeWith(refusal);
		expect(calls).toHaveLength(1);
	});

	it.each<[string, Refusal]>([
		[
			'it is running, since n8n has not stored it yet',
			[409, { message: 'It is running already.' }],
		],
		['n8n is overloaded', [503, {}]],
		['n8n could not look into it', [503, { message: 'Try again later' }]],
		['a proxy has a page instead of n8n', [404, '<h1>Not found</h1>']],
		['a proxy refuses it', [400, '<h1>Bad Request</h1>']],
		['a proxy leads to https', [301, '', { location: '/' }]],
	])('is repeated with growing pauses until the limit if %s', async (_what, refusal) => {
		const location = (url: URL) => ({ location: url.href.replace('http:', 'https:') });
		const crew = new WaitingCrew();
		crew.complete(0);
		const { calls } = await runWait(crew, quickly, {
			refuse: (url) => (refusal[0] === 301 ? [301, '', location(url)] : refusal),
			forAtMost: 5 * MINUTE,
		});
		expect(calls.length).toBeGreaterThan(8);
		expect(calls.length).toBeLessThan(20);
	});

	it('stops if n8n has stored that the execution is running, and failed: the log says what to do', async () => {
		const error = jest.fn();
		const logger = { debug: jest.fn(), error } as unknown as ExecuteContext['logger'];
		jest.spyOn(ExecuteContext.prototype, 'logger', 'get').mockReturnValue(logger);
		const crew = new WaitingCrew();
		crew.complete(0);
		const { calls, resumed } = await runWait(crew, quickly, {
			meanwhile: (parked) => (parked.failsLate = true),
			forAtMost: 4 * MINUTE,
		});
		expect(resumed).toBeUndefined();
		expect(calls).toHaveLength(2);
		expect(error.mock.calls).toEqual([
			[expect.stringContaining('read the results with Get Status'), { kickoffIds: [idOf(0)] }],
		]);
	});

	it('ends the wait once n8n can handle it again, and once it has stored the execution', async () => {
		const crew = new WaitingCrew();
		crew.complete(0);
		let calls = 0;
		const { resumed } = await runWait(crew, quickly, {
			storedAfter: 10_000,
			refuse: () => (calls++ < 3 ? [503] : undefined),
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
	});
});
