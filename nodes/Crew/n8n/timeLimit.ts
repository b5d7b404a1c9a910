/**
 * Runs `work` until the time is up or `abortSignal` fires: then its signal fires, and `work` is no
 * longer awaited. n8n's own time limit does not end an endless answer as long as some data keeps
 * coming. The signal also fires if `work` fails, so that no connection is left behind.
 *
 * @throws an error with the code `ETIMEDOUT` if the time was up, `ERR_CANCELED` if the signal fired
 */
export async function withTimeLimit<T>(
	milliseconds: number,
	abortSignal: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	// It accepts only whole numbers, and a remaining time often has a fraction.
	const timeIsUp = AbortSignal.timeout(Math.ceil(milliseconds));
	const ending = new AbortController();
	const end = () => {
		ending.abort();
	};
	const ended = new Promise<never>((_resolve, reject) => {
		ending.signal.addEventListener('abort', () => {
			const error = new Error('Ended before there was an answer');
			reject(Object.assign(error, { code: 'ERR_CANCELED' }));
		});
	});
	if (abortSignal?.aborted) end();
	timeIsUp.addEventListener('abort', end);
	abortSignal?.addEventListener('abort', end);
	try {
		return await Promise.race([work(ending.signal), ended]);
	} catch (error) {
		end();
		throw timeIsUp.aborted ? Object.assign(error as Error, { code: 'ETIMEDOUT' }) : error;
	} finally {
		timeIsUp.removeEventListener('abort', end);
		abortSignal?.removeEventListener('abort', end);
	}
}
