import { digest } from '../api/digest';
import type { CallbackEvent } from '../model/callback';
import { isRecord } from '../model/json';

/**
 * An ID that is the same whenever the same notification is delivered again: the stream's event ID,
 * else the SHA-256 (hex) of the notification with sorted names. A question may come in two shapes:
 * for a question, only what both have counts.
 */
export function deliveryId(event: CallbackEvent): string {
	if (event.event === 'stream' && typeof event.id === 'string' && event.id !== '') return event.id;
	const { event: kind, kickoff_id, task_id, task_output } = event;
	const isWhole = kickoff_id !== undefined && task_id !== undefined && task_output !== undefined;
	const told = kind === 'human_input' && isWhole ? [kind, kickoff_id, task_id, task_output] : event;
	return digest(JSON.stringify(told, sorted));
}

/** Sorts the names of each object. */
function sorted(_name: string, value: unknown): unknown {
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
