/**
 * Runs `work` with a signal that fires when the time is up, or `abortSignal` does. n8n's own time limit
 * does not end an answer that goes on for ever, as long as something comes now and then.
 *
 * @throws an error with the code `ETIMEDOUT` where the time was up
 */
export async function withTimeLimit<T>(
	milliseconds: number,
	abortSignal: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const timeIsUp = AbortSignal.timeout(milliseconds);
	const ending = new AbortController();
	const end = () => {
		ending.abort();
	};
	if (abortSignal?.aborted) end();
	timeIsUp.addEventListener('abort', end);
	abortSignal?.addEventListener('abort', end);
	try {
		return await work(ending.signal);
	} catch (error) {
		throw timeIsUp.aborted ? Object.assign(error as Error, { code: 'ETIMEDOUT' }) : error;
	} finally {
		timeIsUp.removeEventListener('abort', end);
		abortSignal?.removeEventListener('abort', end);
	}
}
