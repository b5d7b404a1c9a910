/**
 * Runs `work` until the time is up, or `abortSignal` fires: its signal fires then, and is not waited
 * for. n8n's own time limit does not end an answer that goes on for ever, as long as something comes
 * now and then. The signal fires too if `work` fails, so that no connection stays behind.
 *
 * @throws an error with the code `ETIMEDOUT` if the time was up, `ERR_CANCELED` if the signal fired
 */
export async function withTimeLimit<T>(
	milliseconds: number,
	abortSignal: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	// It takes no fraction, which what is left of a time often is.
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
