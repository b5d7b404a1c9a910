import type { CallbackFields } from '../api/client';
import { readSecret } from '../model/accessToken';
import { CALLBACK_KINDS, type CallbackKind } from '../model/callback';
import { firstText, own } from '../model/json';
import { withQuery } from '../model/url';
import { EVENT_TYPES } from './eventTypes';
import { tokenFor } from './token';

/** The API's fields that take a bare URL. */
const PLAIN_FIELDS = {
	task: 'taskWebhookUrl',
	step: 'stepWebhookUrl',
	crew: 'crewWebhookUrl',
} as const;

/** The fields of a choice with URLs: a trigger's, and the user's own. */
const URL_NAMES = ['triggerUrl', ...Object.values(PLAIN_FIELDS), 'humanInputWebhookUrl'] as const;
export type UrlName = (typeof URL_NAMES)[number];

/**
 * Who a crew notifies, as items carry it from Kickoff or a trigger to Resume: a trigger and
 * the kinds that it gets, or the user's own URLs. Without tokens.
 */
export interface CallbackChoice extends Partial<Record<UrlName, string>> {
	triggerEvents?: CallbackKind[];
	/** Types of the event stream; if absent, all known ones. */
	streamEvents?: string[];
}

/** Reads what an item carries as `callbacks`, without anything that does not have that shape, and each of its URLs as `check` returns it. */
export function readChoice(
	value: unknown,
	check: (url: string, name: UrlName) => string,
): CallbackChoice {
	const choice: CallbackChoice = {};
	for (const name of URL_NAMES) {
		const url = firstText(value, name);
		if (url !== undefined) choice[name] = check(url, name);
	}
	if (choice.triggerUrl === undefined) return choice;
	return { ...choice, ...readTold(own(value, 'triggerEvents'), own(value, 'streamEvents')) };
}

/** What a trigger gets. */
export function readTold(events: unknown, types: unknown): CallbackChoice {
	const streamEvents = asList(types);
	return {
		triggerEvents: kindsIn(asList(events)),
		...(streamEvents.length > 0 ? { streamEvents } : {}),
	};
}

/** The kinds in a list, each once and in the order of {@link CALLBACK_KINDS}. */
export function kindsIn(names: readonly unknown[]): CallbackKind[] {
	return CALLBACK_KINDS.filter((kind) => names.includes(kind));
}

/** The names in a list. An expression may also return one name, or several separated by commas. */
export function asList(value: unknown): string[] {
	if (typeof value === 'string') return value.split(/[\s,]+/).filter((name) => name !== '');
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Whether nobody is notified of anything. */
export function isNobody(choice: CallbackChoice): boolean {
	return Object.keys(choice).length === 0;
}

/**
 * The API's callback fields for a choice.
 *
 * @param given the credential's callback secret; with one, each trigger URL carries its own token
 */
export function toCallbackFields(choice: CallbackChoice, given: unknown): CallbackFields {
	const { triggerUrl, triggerEvents = [], streamEvents, ...ownUrls } = choice;
	const fields: CallbackFields = { ...ownUrls };
	const { humanInputWebhookUrl } = ownUrls;
	// Deployments send questions to either field, or to both.
	if (humanInputWebhookUrl) fields.humanInputWebhook = { url: humanInputWebhookUrl };
	if (triggerUrl === undefined) return fields;
	const secret = readSecret(given);
	for (const kind of triggerEvents) {
		const token = secret === '' ? undefined : tokenFor(secret, kind, triggerUrl);
		const isInHeader = kind === 'human_input' || kind === 'stream';
		const url = withQuery(triggerUrl, {
			callback: kind,
			events: triggerEvents.join('.'),
			types: streamEvents?.join(','),
			token: isInHeader ? undefined : token,
		});
		const target = token ? { url, authentication: { strategy: 'bearer', token } } : { url };
		if (kind === 'human_input') {
			fields.humanInputWebhook = target;
			fields.humanInputWebhookUrl = withQuery(url, { form: 'url', token });
		} else if (kind === 'stream') {
			fields.webhooks = { events: streamEvents ?? EVENT_TYPES, realtime: true, ...target };
		} else fields[PLAIN_FIELDS[kind]] = url;
	}
	return fields;
}

/** In which of the two fields for questions {@link toCallbackFields} put a URL; `undefined` for a URL that was not made there. */
export function formOfUrl(query: unknown): 'object' | 'url' | undefined {
	if (firstText(query, 'events') === undefined) return undefined;
	return firstText(query, 'form') === 'url' ? 'url' : 'object';
}

/** What the URL of a callback says about what its trigger gets, see {@link toCallbackFields}; `undefined` for a URL that was not made there. */
export function choiceOfUrl(query: unknown): CallbackChoice | undefined {
	const events = firstText(query, 'events');
	if (events === undefined) return undefined;
	return readTold(events.split('.'), own(query, 'types'));
}
