import { withTimeLimit } from '../../../nodes/Crew/n8n/send';

/** Ends only when its signal fires, like a request. */
const endless = async (signal: AbortSignal) =>
	await new Promise<never>((_resolve, reject) => {
		const end = () => {
			reject(new Error('Ended'));
		};
		if (signal.aborted) end();
		signal.addEventListener('abort', end);
	});

describe('withTimeLimit', () => {
	it('returns what the work returns', async () => {
		expect(await withTimeLimit(1_000, undefined, async () => await Promise.resolve(7))).toBe(7);
	});

	it('ends the work when the time is up, and says so', async () => {
		await expect(withTimeLimit(1, undefined, endless)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	});

	it('accepts a remaining time in fractions of a millisecond', async () => {
		expect(await withTimeLimit(9.5, undefined, async () => await Promise.resolve(7))).toBe(7);
		await expect(withTimeLimit(0.5, undefined, endless)).rejects.toMatchObject({
			code: 'ETIMEDOUT',
		});
	});

	it('ends the work when the given signal fires, and does not report that as a timeout', async () => {
		const controller = new AbortController();
		const working = withTimeLimit(60_000, controller.signal, endless);
		controller.abort();
		await expect(working).rejects.toMatchObject({ code: 'ERR_CANCELED' });
		const never = withTimeLimit(60_000, AbortSignal.abort(), endless);
		await expect(never).rejects.toMatchObject({ code: 'ERR_CANCELED' });
	});

	it('does not wait for work that ignores its signal', async () => {
		const deaf = async () => await new Promise<never>(() => undefined);
		await expect(withTimeLimit(1, undefined, deaf)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	});

	it('fires the signal if the work fails, so that no connection stays open', async () => {
		let given: AbortSignal | undefined;
		const failing = async (signal: AbortSignal) => {
			given = signal;
			return await Promise.reject(new Error('Else'));
		};
		await expect(withTimeLimit(60_000, undefined, failing)).rejects.toThrow('Else');
		expect(given?.aborted).toBe(true);
	});

	it('passes on a failure that has nothing to do with time', async () => {
		const failure = new Error('Else');
		const failing = async () => await Promise.reject(failure);
		await expect(withTimeLimit(60_000, undefined, failing)).rejects.toBe(failure);
	});
});
