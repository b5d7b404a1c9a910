import type { CallbackFields } from '../api/client';
import { CALLBACK_KINDS, type CallbackKind } from '../model/callback';
import { firstText, isRecord, own, type JsonRecord } from '../model/json';
import { EVENT_TYPES } from './eventTypes';
import { tokenFor } from './token';

/** The API's fields that take a bare URL. */
const PLAIN_FIELDS = {
	task: 'taskWebhookUrl',
	step: 'stepWebhookUrl',
	crew: 'crewWebhookUrl',
} as const;

/**
 * Where a crew's notifications go, as items carry it from Kickoff or a trigger to Resume: a trigger
 * and the kinds that it is told, or URLs of the user's own. Without tokens.
 */
export interface CallbackChoice {
	triggerUrl?: string;
	triggerEvents?: CallbackKind[];
	/** Types of the event stream; all that are known where it is absent. */
	streamEvents?: string[];
	taskWebhookUrl?: string;
	stepWebhookUrl?: string;
	crewWebhookUrl?: string;
	humanInputWebhookUrl?: string;
}

/** How a crew shows the token where its API takes more than a URL. */
export type Strategy = 'basic' | 'bearer';

/** The name that goes with the token in basic authentication. */
const BASIC_USER = 'crew';

/** Reads what an item carries as `callbacks`; anything that is not of that shape is left out. */
export function readChoice(value: unknown): CallbackChoice {
	const choice: CallbackChoice = {};
	const triggerUrl = firstText(value, 'triggerUrl');
	if (triggerUrl !== undefined) {
		const chosen = asList(own(value, 'triggerEvents'));
		choice.triggerUrl = triggerUrl;
		choice.triggerEvents = CALLBACK_KINDS.filter((kind) => chosen.includes(kind));
		const types = asList(own(value, 'streamEvents'));
		if (types.length > 0) choice.streamEvents = types;
	}
	for (const name of [...Object.values(PLAIN_FIELDS), 'humanInputWebhookUrl'] as const) {
		const url = firstText(value, name);
		if (url !== undefined) choice[name] = url;
	}
	return choice;
}

function asList(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Whether nobody is to be told anything. */
export function isNobody(choice: CallbackChoice): boolean {
	return Object.keys(choice).length === 0;
}

/**
 * The API's callback fields for a choice.
 *
 * @param secret the credential's callback secret; with one, each trigger URL carries its own token
 */
export function toCallbackFields(
	choice: CallbackChoice,
	secret: string,
	strategy: Strategy,
): CallbackFields {
	const { triggerUrl, triggerEvents = [], streamEvents = EVENT_TYPES } = choice;
	const fields: CallbackFields = {};
	for (const name of Object.values(PLAIN_FIELDS)) if (choice[name]) fields[name] = choice[name];
	if (choice.humanInputWebhookUrl) fields.humanInputWebhook = { url: choice.humanInputWebhookUrl };
	if (triggerUrl === undefined) return fields;
	for (const kind of triggerEvents) {
		const token = secret === '' ? undefined : tokenFor(secret, kind, triggerUrl);
		const url = new URL(triggerUrl);
		url.searchParams.set('callback', kind);
		url.searchParams.set('events', triggerEvents.join('.'));
		if (kind === 'human_input' || kind === 'stream') {
			const target = { url: url.href, ...authentication(token, strategy) };
			if (kind === 'human_input') fields.humanInputWebhook = target;
			else fields.webhooks = { events: streamEvents, realtime: true, ...target };
		} else {
			if (token !== undefined) url.searchParams.set('token', token);
			fields[PLAIN_FIELDS[kind]] = url.href;
		}
	}
	return fields;
}

function authentication(token: string | undefined, strategy: Strategy): JsonRecord {
	if (token === undefined) return {};
	return strategy === 'basic'
		? { authentication: { strategy, username: BASIC_USER, password: token } }
		: { authentication: { strategy, token } };
}

/** What the URL of a callback says about which kinds its trigger is told, see {@link toCallbackFields}. */
export function kindsOfUrl(query: unknown): CallbackKind[] | undefined {
	const events = isRecord(query) ? firstText(query, 'events') : undefined;
	if (events === undefined) return undefined;
	return CALLBACK_KINDS.filter((kind) => events.split('.').includes(kind));
}
