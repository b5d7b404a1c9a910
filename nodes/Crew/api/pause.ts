import { sleep } from 'n8n-workflow';

/** The longest that a timer of JavaScript takes: it fires at once for more. */
const LONGEST = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, at most {@link LONGEST} (24.8 days), or less where `abortSignal` fires before.
 * Never rejects.
 */
export async function pause(milliseconds: number, abortSignal?: AbortSignal): Promise<void> {
	const sleeping = Math.min(milliseconds, LONGEST);
	if (!abortSignal) {
		await sleep(sleeping);
		return;
	}
	if (abortSignal.aborted) return;
	await new Promise<void>((resolve) => {
		const end = () => {
			abortSignal.removeEventListener('abort', end);
			resolve();
		};
		abortSignal.addEventListener('abort', end);
		void sleep(sleeping).then(end);
	});
}
