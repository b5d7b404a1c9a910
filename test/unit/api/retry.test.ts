import { CrewApiError } from '../../../nodes/Crew/api/errors';
import { whenNotArrived, whenTransient, withRetries } from '../../../nodes/Crew/api/pacer';

const failure = (details: Partial<CrewApiError>) =>
	new CrewApiError('It did not work', { description: 'Wait', ...details });

/** Runs in fake time; returns the outcome and the time of each attempt. */
async function run(failures: Error[], isRepeatable = whenTransient, abortSignal?: AbortSignal) {
	const begun = Date.now();
	const times: number[] = [];
	const attempt = async () => {
		times.push(Date.now() - begun);
		const next = failures.shift();
		return next ? await Promise.reject(next) : await Promise.resolve('done');
	};
	const running = withRetries(attempt, isRepeatable, abortSignal).catch((error: unknown) => error);
	await jest.runAllTimersAsync();
	return { outcome: await running, times };
}

beforeEach(() => {
	jest.useFakeTimers();
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

describe('withRetries', () => {
	const passing = () => failure({ transient: true });

	it('needs one attempt if that succeeds', async () => {
		expect(await run([])).toEqual({ outcome: 'done', times: [0] });
	});

	it('pauses longer each time', async () => {
		expect(await run([passing(), passing()])).toEqual({ outcome: 'done', times: [0, 500, 1_500] });
	});

	it.each([
		[0, [0, 250, 750]],
		[0.999_999, [0, 750, 2_250]],
	])('varies the pauses by up to a half: %d', async (random, expected) => {
		jest.spyOn(Math, 'random').mockReturnValue(random);
		const { times } = await run([passing(), passing()]);
		expect(times.map(Math.round)).toEqual(
			expected.map((time) => expect.closeTo(time, -1) as number),
		);
	});

	it('fails with the last failure after three attempts', async () => {
		const last = passing();
		const { outcome, times } = await run([passing(), passing(), last, passing()]);
		expect(outcome).toBe(last);
		expect(times).toHaveLength(3);
	});

	it.each([
		[0, 0],
		[7_000, 7_000],
		[60_000, 60_000],
	])('waits for as long as the server asks: %d ms', async (retryAfter, expected) => {
		const { times } = await run([failure({ transient: true, retryAfter })]);
		expect(times).toEqual([0, expected]);
	});

	it('does not wait longer than a minute', async () => {
		const { times } = await run([failure({ transient: true, retryAfter: 60_001 })]);
		expect(times).toEqual([0]);
	});

	it.each([
		['that does not pass', failure({}), whenTransient, 1],
		['that passes', failure({ transient: true }), whenTransient, 2],
		[
			'that passes, of a request that may have arrived',
			failure({ transient: true, mayHaveArrived: true }),
			whenNotArrived,
			1,
		],
		[
			'that passes, of a request that has not arrived',
			failure({ transient: true }),
			whenNotArrived,
			2,
		],
		['that is a bug', new TypeError('A bug'), whenTransient, 1],
	])(
		'makes the right number of attempts after a failure %s',
		async (_what, error, isRepeatable, tries) => {
			const { times } = await run([error], isRepeatable);
			expect(times).toHaveLength(tries);
		},
	);

	it('ends the pause, without a further attempt, when the execution is cancelled', async () => {
		const controller = new AbortController();
		setTimeout(() => {
			controller.abort();
		}, 100);
		const slow = failure({ transient: true, retryAfter: 60_000 });
		const { outcome, times } = await run([slow], whenTransient, controller.signal);
		expect(outcome).toBe(slow);
		expect(times).toEqual([0]);
	});
});
