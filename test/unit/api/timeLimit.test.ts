import { withTimeLimit } from '../../../nodes/Crew/api/timeLimit';

/** Ends as a request does whose signal fires, and never otherwise. */
const endless = async (signal: AbortSignal) =>
	await new Promise<never>((_resolve, reject) => {
		const end = () => {
			reject(new Error('Ended'));
		};
		if (signal.aborted) end();
		signal.addEventListener('abort', end);
	});

describe('withTimeLimit', () => {
	it('gives what the work gives', async () => {
		expect(await withTimeLimit(1_000, undefined, async () => await Promise.resolve(7))).toBe(7);
	});

	it('ends the work when the time is up, and says so', async () => {
		await expect(withTimeLimit(1, undefined, endless)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	});

	it('ends the work when the given signal fires, and does not call that the time', async () => {
		const controller = new AbortController();
		const working = withTimeLimit(60_000, controller.signal, endless);
		controller.abort();
		await expect(working).rejects.not.toHaveProperty('code');
		await expect(withTimeLimit(60_000, AbortSignal.abort(), endless)).rejects.toThrow('Ended');
	});

	it('passes a failure on that has nothing to do with time', async () => {
		const failure = new Error('Else');
		const failing = async () => await Promise.reject(failure);
		await expect(withTimeLimit(60_000, undefined, failing)).rejects.toBe(failure);
	});
});
