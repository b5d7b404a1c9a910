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

function canonical(value: unknown): string {
	return JSON.stringify(value, (_name, inner: unknown) =>
		isRecord(inner)
			? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
			: inner,
	);
}
