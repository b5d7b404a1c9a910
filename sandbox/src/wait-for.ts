import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitForOptions {
	/** How long to keep looking, in milliseconds (the default is long enough for a busy machine). */
	timeout?: number;
	/** Pause between two looks, in milliseconds. */
	interval?: number;
	/** Says what was seen last, for the error message. */
	describe?: () => string;
}

/**
 * Looks again and again until `look` gives something other than `undefined` or `false`, and returns it. An error of
 * `look` is thrown at once: if it may fail while waiting, it has to catch that itself.
 *
 * @param awaited completes the sentence "Waited 120 s in vain for ..."
 */
export async function waitFor<T>(
	awaited: string,
	look: () => Promise<T | undefined | false> | T | undefined | false,
	{ timeout = 120_000, interval = 100, describe }: WaitForOptions = {},
): Promise<T> {
	const deadline = Date.now() + timeout;
	for (;;) {
		const seen = await look();
		if (seen !== undefined && seen !== false) return seen;
		if (Date.now() >= deadline) {
			const last = describe === undefined ? '' : `\n${describe()}`;
			throw new Error(`Waited ${timeout / 1000} s in vain for ${awaited}.${last}`);
		}
		await sleep(interval);
	}
}
