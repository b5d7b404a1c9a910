import { digest } from '../api/digest';
import type { CallbackEvent } from '../model/callback';
import { isRecord } from '../model/json';

/**
 * An ID that is the same whenever the same notification is delivered again: the stream's event ID,
 * else the SHA-256 (hex) of the notification with its names in order.
 */
export function deliveryId(event: CallbackEvent): string {
	if (event.event === 'stream' && typeof event.id === 'string' && event.id !== '') return event.id;
	return digest(JSON.stringify(event, sorted));
}

/** Puts the names of each object in order. */
function sorted(_name: string, value: unknown): unknown {
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
