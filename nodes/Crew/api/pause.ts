import { sleep } from 'n8n-workflow';

/** Waits `milliseconds`, or less where `abortSignal` fires before. Never rejects. */
export async function pause(milliseconds: number, abortSignal?: AbortSignal): Promise<void> {
	if (!abortSignal) {
		await sleep(milliseconds);
		return;
	}
	if (abortSignal.aborted) return;
	await new Promise<void>((resolve) => {
		const end = () => {
			abortSignal.removeEventListener('abort', end);
			resolve();
		};
		abortSignal.addEventListener('abort', end);
		void sleep(milliseconds).then(end);
	});
}
