import { sleep } from 'n8n-workflow';

/** The longest time of a JavaScript timer, which fires at once for more. */
const LONGEST = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, at most {@link LONGEST} (24.8 days), or less if `abortSignal` fires earlier.
 * Never rejects. Not an async function, which would take twice as much memory for each wait.
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
