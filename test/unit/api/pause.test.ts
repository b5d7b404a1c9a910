import { pause } from '../../../nodes/Crew/api/pause';

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

/** How long a pause of one second takes, at most a second. */
async function measure(abortSignal?: AbortSignal): Promise<number> {
	const begun = Date.now();
	const pausing = pause(1_000, abortSignal).then(() => Date.now() - begun);
	await jest.advanceTimersByTimeAsync(1_000);
	return await pausing;
}

describe('pause', () => {
	it('lasts as long as requested', async () => {
		expect(await measure()).toBe(1_000);
		expect(await measure(new AbortController().signal)).toBe(1_000);
	});

	it('ends when the signal fires', async () => {
		const controller = new AbortController();
		setTimeout(() => {
			controller.abort();
		}, 300);
		expect(await measure(controller.signal)).toBe(300);
	});

	it('is limited to the longest time of a timer', async () => {
		let isOver = false;
		void pause(2 ** 31).then(() => (isOver = true));
		await jest.advanceTimersByTimeAsync(2 ** 31 - 2);
		expect(isOver).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(isOver).toBe(true);
	});

	it('does not begin if the signal has already fired', async () => {
		expect(await measure(AbortSignal.abort())).toBe(0);
	});
});
