/**
 * Reads the header `Retry-After`: seconds, or an HTTP date.
 *
 * @returns milliseconds from `now` on, `undefined` for anything else
 */
export function readRetryAfter(value: unknown, now = Date.now()): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Date.parse makes a date of nearly anything with a number in it; an HTTP date ends in GMT.
	const date = / GMT$/.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** For how long a server wants to be left alone, as a sentence; `undefined` where it did not say. */
export function tellPause(retryAfter: number | undefined): string | undefined {
	if (retryAfter === undefined || !Number.isFinite(retryAfter)) return undefined;
	return `It asked to wait ${Math.ceil(retryAfter / 1000)} s before the next request.`;
}
