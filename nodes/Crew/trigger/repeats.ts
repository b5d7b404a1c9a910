import type { IWebhookFunctions } from 'n8n-workflow';
import { digest } from '../api/digest';
import { remember } from '../api/remember';
import type { CallbackEvent } from '../model/callback';
import { formOfUrl } from '../callbacks/choice';
import { isRecord } from '../model/json';

/** Milliseconds in which the same question is a repeat. */
const REPEAT_TIME = 120_000;

/** A question that started the workflow. */
interface Seen {
	/** In which of the two fields for questions its URL was sent. */
	form: ReturnType<typeof formOfUrl>;
	/** In milliseconds since the epoch. */
	at: number;
}

/** By trigger and question. */
const seen = new Map<string, Seen>();

/**
 * Leaves out questions that started the workflow a moment ago: a deployment may send each to both of
 * the URLs from the Crew node. At the same URL as before, the same text is a new question, since a
 * rejected task may have the same output again. For a URL that the Crew node has not made, this is
 * unknown, so only the content counts.
 */
export function withoutRepeats(
	context: IWebhookFunctions,
	events: readonly CallbackEvent[],
): CallbackEvent[] {
	const form = formOfUrl(context.getQueryData());
	const trigger = [context.getWorkflow().id, context.getNode().id];
	return events.filter((event) => {
		if (event.event !== 'human_input') return true;
		return !isRepeat(digest(JSON.stringify([...trigger, questionOf(event, form)])), form);
	});
}

/** What a question has in common at both URLs, which may identify its task by name or by ID. */
function questionOf(event: CallbackEvent, form: Seen['form']): unknown {
	const { kickoff_id, task_output } = event;
	const isTold = kickoff_id !== undefined && typeof task_output === 'string' && form !== undefined;
	return isTold ? [kickoff_id, digest(task_output)] : deliveryId(event);
}

function isRepeat(key: string, form: Seen['form']): boolean {
	const before = seen.get(key);
	const isLate = !before || Date.now() - before.at > REPEAT_TIME;
	const isOfPair = before?.form !== form;
	const isSame = !isLate && (isOfPair || form === undefined);
	// Each question comes once at each URL, so now both have been called.
	if (isSame && isOfPair) seen.delete(key);
	if (!isSame) remember(seen, key, { form, at: Date.now() });
	return isSame;
}

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
