import { sleep } from 'n8n-workflow';

/** What a pause needs of an `AbortSignal`. */
export interface EndSignal {
	readonly aborted: boolean;
	addEventListener(type: 'abort', listener: () => void): void;
	removeEventListener(type: 'abort', listener: () => void): void;
}

/** Ends one pause at a time, at a tenth of an `AbortController`'s memory: waits are kept by the hundred. */
export class Ending implements EndSignal {
	aborted = false;
	private listener?: () => void;

	addEventListener(_type: 'abort', listener: () => void): void {
		this.listener = listener;
	}

	removeEventListener(): void {
		this.listener = undefined;
	}

	abort(): void {
		this.aborted = true;
		this.listener?.();
	}
}

/** The longest that a timer of JavaScript takes: it fires at once for more. */
const LONGEST = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, at most {@link LONGEST} (24.8 days), or less where `abortSignal` fires before.
 * Never rejects. Not an async function: that would take as much memory again for each wait.
 */
export function pause(milliseconds: number, abortSignal?: EndSignal): Promise<void> {
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
