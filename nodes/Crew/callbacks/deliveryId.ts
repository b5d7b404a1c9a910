import { createHash } from 'node:crypto';
import type { CallbackEvent } from '../model/callback';
import { isRecord } from '../model/json';

/**
 * An ID that is the same whenever the same notification is delivered again: the stream's event ID,
 * else the SHA-256 (hex) of the notification with its names in order.
 */
export function deliveryId(event: CallbackEvent): string {
	if (event.event === 'stream' && typeof event.id === 'string' && event.id !== '') return event.id;
	return createHash('sha256').update(canonical(event)).digest('hex');
}

/** JSON with the names of every object in order. Does not recurse: the sender chooses how deep it is. */
function canonical(whole: unknown): string {
	const written: string[] = [];
	const left: Array<string | { value: unknown }> = [{ value: whole }];
	for (let next = left.pop(); next !== undefined; next = left.pop()) {
		if (typeof next === 'string') written.push(next);
		else for (const part of partsOf(next.value).reverse()) left.push(part);
	}
	return written.join('');
}

/** The texts of a value's JSON, and its inner values between them. */
function partsOf(value: unknown): Array<string | { value: unknown }> {
	if (Array.isArray(value)) {
		return ['[', ...value.flatMap((inner: unknown) => [{ value: inner }, ',']), ']'];
	}
	if (!isRecord(value)) return [JSON.stringify(value ?? null)];
	const names = Object.keys(value).sort();
	return [
		'{',
		...names.flatMap((name) => [JSON.stringify(name), ':', { value: value[name] }, ',']),
		'}',
	];
}
