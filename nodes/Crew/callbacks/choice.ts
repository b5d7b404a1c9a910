import type { CallbackFields } from '../api/client';
import { CALLBACK_KINDS, type CallbackKind } from '../model/callback';
import { firstText, own, type JsonRecord } from '../model/json';
import { EVENT_TYPES } from './eventTypes';
import { tokenFor } from './token';

/** The API's fields that take a bare URL. */
const PLAIN_FIELDS = {
	task: 'taskWebhookUrl',
	step: 'stepWebhookUrl',
	crew: 'crewWebhookUrl',
} as const;

/** Where the user's own URLs stand in a choice. */
const OWN_URLS = [...Object.values(PLAIN_FIELDS), 'humanInputWebhookUrl'] as const;

/**
 * Where a crew's notifications go, as items carry it from Kickoff or a trigger to Resume: a trigger
 * and the kinds that it is told, or URLs of the user's own. Without tokens.
 */
export interface CallbackChoice {
	triggerUrl?: string;
	triggerEvents?: CallbackKind[];
	/** Types of the event stream; all that are known where it is absent. */
	streamEvents?: string[];
	/** How the crew shows the token; as a bearer where it is absent. */
	callbackAuthentication?: Strategy;
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
		const [events, types] = [own(value, 'triggerEvents'), own(value, 'streamEvents')];
		const told = readTold(events, types, own(value, 'callbackAuthentication'));
		Object.assign(choice, { triggerUrl, ...told });
	}
	for (const name of OWN_URLS) {
		const url = firstText(value, name);
		if (url !== undefined) choice[name] = url;
	}
	return choice;
}

/** What a trigger is told, and how. */
function readTold(events: unknown, types: unknown, authentication: unknown): CallbackChoice {
	const streamEvents = asList(types);
	return {
		triggerEvents: kindsIn(asList(events)),
		...(streamEvents.length > 0 ? { streamEvents } : {}),
		...(authentication === 'basic' ? { callbackAuthentication: authentication } : {}),
	};
}

/** Those kinds that a list names, each once and in the order of {@link CALLBACK_KINDS}. */
export function kindsIn(names: readonly unknown[]): CallbackKind[] {
	return CALLBACK_KINDS.filter((kind) => names.includes(kind));
}

/** An expression may give one name, or several with commas between them. */
function asList(value: unknown): string[] {
	if (typeof value === 'string') return value.split(',').flatMap((name) => name.trim() || []);
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Whether nobody is to be told anything. */
export function isNobody(choice: CallbackChoice): boolean {
	return Object.keys(choice).length === 0;
}

/** All that a crew is to call by a choice. */
export function urlsOf(choice: CallbackChoice): string[] {
	return [choice.triggerUrl, ...OWN_URLS.map((name) => choice[name])].filter(
		(url) => url !== undefined,
	);
}

/**
 * The API's callback fields for a choice.
 *
 * @param secret the credential's callback secret; with one, each trigger URL carries its own token
 */
export function toCallbackFields(choice: CallbackChoice, secret: string): CallbackFields {
	const { triggerUrl, triggerEvents = [], streamEvents = EVENT_TYPES } = choice;
	const { callbackAuthentication: strategy = 'bearer' } = choice;
	const fields: CallbackFields = {};
	for (const name of Object.values(PLAIN_FIELDS)) if (choice[name]) fields[name] = choice[name];
	if (choice.humanInputWebhookUrl) fields.humanInputWebhook = { url: choice.humanInputWebhookUrl };
	if (triggerUrl === undefined) return fields;
	for (const kind of triggerEvents) {
		const token = secret === '' ? undefined : tokenFor(secret, kind, triggerUrl);
		const url = new URL(triggerUrl);
		url.searchParams.set('callback', kind);
		url.searchParams.set('events', triggerEvents.join('.'));
		if (choice.streamEvents) url.searchParams.set('types', streamEvents.join(','));
		if (strategy === 'basic') url.searchParams.set('authentication', strategy);
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

/**
 * What the URL of a callback says about what its trigger is told and how, see {@link toCallbackFields};
 * `undefined` where it was not made there.
 */
export function choiceOfUrl(query: unknown): CallbackChoice | undefined {
	const events = firstText(query, 'events');
	if (events === undefined) return undefined;
	return readTold(events.split('.'), own(query, 'types'), own(query, 'authentication'));
}
