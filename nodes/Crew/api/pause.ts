import { sleep } from 'n8n-workflow';

/** The longest that a timer of JavaScript takes: it fires at once for more. */
const LONGEST = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, at most {@link LONGEST} (24.8 days), or less if `abortSignal` fires before.
 * Never rejects. Not an async function: that would take as much memory again for each wait.
 */
export function pause(milliseconds: number, abortSignal?: AbortSignal): Promise<void> {
	if (abortSignal?.aborted) return Promise.resolve();
	const sleeping = sleep(Math.min(milliseconds, LONGEST));
	if (!abortSignal) return sleeping;
	return new Promise<void>((resolve) => {
		const end = () => {
			abortSignal.removeEventListener('abort', end);
			resolve();
		};
		abortSignal.addEventListener('abort', end);
		void sleeping.then(end);
	});
}
