import type { IWebhookFunctions } from 'n8n-workflow';
import { digest } from '../api/digest';
import { remember } from '../api/remember';
import type { CallbackEvent } from '../model/callback';
import { formOfUrl } from '../callbacks/choice';
import { deliveryId } from './deliveryId';

/** Milliseconds in which the same question is a repeat. */
const REPEAT_TIME = 120_000;

/** A question that started the workflow. */
interface Seen {
	/** Which of the two fields for questions its URL was given in. */
	form: ReturnType<typeof formOfUrl>;
	/** In milliseconds since the epoch. */
	at: number;
}

/** By trigger and question. */
const seen = new Map<string, Seen>();

/**
 * Leaves out questions that started the workflow a moment ago: a deployment may tell of each at both
 * of the URLs that the Crew node gives it. At the same URL as before, the same text is another
 * question, since a task that was rejected may come out the same. Of a URL that the Crew node has not
 * made nobody can tell, so there the content alone counts.
 */
export function withoutRepeats(
	context: IWebhookFunctions,
	events: readonly CallbackEvent[],
): CallbackEvent[] {
	const form = formOfUrl(context.getQueryData());
	const trigger = [context.getWorkflow().id, context.getNode().id];
	return events.filter((event) => {
		if (event.event !== 'human_input') return true;
		return !isRepeat(JSON.stringify([...trigger, questionOf(event, form)]), form);
	});
}

/** What is the same of a question at both URLs, in which a task may go by its name and by an ID. */
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
	// Each question is told of once at each URL: both have been called now.
	if (isSame && isOfPair) seen.delete(key);
	if (!isSame) remember(seen, key, { form, at: Date.now() });
	return isSame;
}
