import { digest } from '../api/digest';
import type { CallbackEvent } from '../model/callback';
import { isRecord } from '../model/json';

/**
 * An ID that is the same whenever the same notification is delivered again: the stream's event ID,
 * else the SHA-256 (hex) of the notification with its names in order. A question may be told in two
 * shapes: of one, what both have counts.
 */
export function deliveryId(event: CallbackEvent): string {
	if (event.event === 'stream' && typeof event.id === 'string' && event.id !== '') return event.id;
	const { event: kind, kickoff_id, task_id, task_output } = event;
	const isWhole = kickoff_id !== undefined && task_id !== undefined && task_output !== undefined;
	const told = kind === 'human_input' && isWhole ? [kind, kickoff_id, task_id, task_output] : event;
	return digest(JSON.stringify(told, sorted));
}

/** Puts the names of each object in order. */
function sorted(_name: string, value: unknown): unknown {
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
