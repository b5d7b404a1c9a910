import fc from 'fast-check';
import { isAuthentic } from '../../nodes/Crew/trigger/receive';
import { choiceOfUrl, readChoice, toCallbackFields } from '../../nodes/Crew/callbacks/choice';
import { deliveryId } from '../../nodes/Crew/trigger/repeats';
import { readBody } from '../../nodes/Crew/n8n/readBody';
import { isSameToken, tokenFor } from '../../nodes/Crew/callbacks/token';
import { isChosen, splitOrJoin } from '../../nodes/Crew/trigger/triggerEvents';
import { callbackUrlProblem } from '../../nodes/Crew/model/url';
import {
	CALLBACK_KINDS,
	kindOfMark,
	readCallback,
	type CallbackEvent,
} from '../../nodes/Crew/model/callback';
import { readNews } from '../../nodes/Crew/model/news';
import { asContext } from './support/context';
import { mutated } from './support/documents';
import { holds } from './support/property';
import { isTooMuch } from './support/size';
import { strangeJson, strangeText } from './support/strange';
import { CALLBACKS } from './support/wireDocuments';

const TRIGGER_URL = 'https://n8n.example.com/webhook/0d4b7c1e-2f65-4e0b-9a43-5c8e1f2d3b4a/webhook';

const marks = fc.option(fc.constantFrom(...CALLBACK_KINDS), { nil: undefined });
const anyEvents = fc
	.tuple(mutated(CALLBACKS), marks)
	.map(([body, mark]) => readCallback(body, mark));

const withParameters = (parameters: Record<string, unknown>) =>
	asContext({
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
	});

describe('any callback', () => {
	it('is a list of events of known kinds, with an ID or none', () => {
		holds(anyEvents, (events) => {
			for (const event of events) {
				expect([...CALLBACK_KINDS, 'unknown']).toContain(event.event);
				expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
				const { kickoff_id: id = 'none' } = event;
				expect(typeof id === 'string' && id !== '' && id === id.trim()).toBe(true);
			}
		});
	});

	it('has an ID for its delivery, whatever the order of its fields', () => {
		holds(anyEvents, (events) => {
			// Larger ones are refused before they become events.
			for (const event of events.filter((each) => !isTooMuch(each))) {
				const id = deliveryId(event);
				const turned = Object.fromEntries(Object.entries(event).reverse()) as CallbackEvent;
				expect(deliveryId(turned)).toBe(id);
				const isOwn = event.event === 'stream' && event.id === id;
				expect(isOwn || /^[0-9a-f]{64}$/.test(id)).toBe(true);
			}
		});
	});

	it('ends a wait with an execution, or not at all', () => {
		holds(anyEvents, (events) => {
			for (const event of events) {
				const news = readNews(event);
				if (news) {
					expect(['completed', 'failed', 'stopped', 'pending_human_input']).toContain(news.status);
				}
			}
		});
	});

	it('is sorted, split and joined without losing an event', () => {
		const settings = fc.record({
			events: fc.subarray([...CALLBACK_KINDS]),
			'options.eventTypes': fc.subarray(['task_started', 'crew_kickoff_failed']),
			'options.otherEventTypes': strangeText,
			'options.splitEvents': fc.boolean(),
		});
		holds(fc.tuple(anyEvents, settings), ([events, parameters]) => {
			const chosen = events.filter(isChosen(withParameters(parameters)));
			const items = splitOrJoin(withParameters(parameters), chosen);
			const isJoined = !parameters['options.splitEvents'];
			const stream = chosen.filter(({ event }) => event === 'stream').length;
			const joined = stream > 0 ? 1 + chosen.length - stream : chosen.length;
			expect(items).toHaveLength(isJoined ? joined : chosen.length);
		});
	});
});

describe('any request to a trigger', () => {
	const bodies = fc.oneof(
		strangeText.map((text) => Buffer.from(text)),
		mutated(CALLBACKS)
			.filter((body) => body !== undefined && !isTooMuch(body))
			.map((body) => Buffer.from(JSON.stringify(body))),
		fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
		fc.constant(undefined),
	);

	it('has a JSON object or list as its body, or none', () => {
		holds(bodies, (rawBody) => {
			const body: unknown = readBody(asContext({ getRequestObject: () => ({ rawBody }) }));
			expect(body === undefined || (typeof body === 'object' && body !== null)).toBe(true);
			expect(isTooMuch(body)).toBe(false);
		});
	});

	it('is not accepted without the token, whatever it contains', () => {
		const query = fc.dictionary(
			fc.constantFrom('token', 'callback', 'events', '__proto__'),
			fc.oneof(strangeText, fc.constantFrom(...CALLBACK_KINDS), strangeJson),
		);
		const authorization = fc.oneof(
			strangeText,
			strangeText.map((text) => `Bearer ${text}`),
			strangeText.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
			fc.constant(undefined),
		);
		holds(fc.tuple(query, authorization), ([data, header]) => {
			const context = asContext({
				getQueryData: () => data,
				getHeaderData: () => ({ authorization: header }),
				getNodeWebhookUrl: () => TRIGGER_URL,
			});
			expect(isAuthentic(context, 'secret')).toBe(false);
		});
	});

	it('is marked only with known kinds', () => {
		holds(mutated([{ callback: 'crew', events: 'crew.task' }]), (query) => {
			const { callback } = (query ?? {}) as { callback?: unknown };
			expect([...CALLBACK_KINDS, undefined]).toContain(kindOfMark(callback));
			const { triggerEvents = [], streamEvents = [] } = choiceOfUrl(query) ?? {};
			for (const kind of triggerEvents) expect(CALLBACK_KINDS).toContain(kind);
			for (const type of streamEvents) expect(type).toEqual(expect.any(String));
		});
	});
});

describe('any token', () => {
	it('matches only itself', () => {
		const secrets = fc.tuple(strangeText, strangeText, fc.constantFrom(...CALLBACK_KINDS));
		holds(secrets, ([secret, given, kind]) => {
			const token = tokenFor(secret, kind, TRIGGER_URL);
			expect(token).toMatch(/^[\w-]{43}$/);
			expect(isSameToken(token, token)).toBe(true);
			expect(isSameToken(given, token)).toBe(false);
		});
	});
});

const CALLBACK_FIELDS = [
	'taskWebhookUrl',
	'stepWebhookUrl',
	'crewWebhookUrl',
	'humanInputWebhook',
	'humanInputWebhookUrl',
	'webhooks',
];

describe('any value of an item', () => {
	const choices = [
		{ triggerUrl: TRIGGER_URL, triggerEvents: ['crew', 'stream'], streamEvents: ['task_started'] },
		{
			crewWebhookUrl: 'https://n8n.example.com/1',
			humanInputWebhookUrl: 'https://n8n.example.com/2',
		},
	];

	it('is read as callbacks, or as none', () => {
		holds(mutated(choices), (value) => {
			const choice = readChoice(value, (url) => url);
			const { triggerUrl } = choice;
			// The node refuses such a URL earlier.
			if (triggerUrl !== undefined && callbackUrlProblem(triggerUrl.trim())) return;
			const fields = toCallbackFields(choice, 'secret');
			expect(CALLBACK_FIELDS).toEqual(expect.arrayContaining(Object.keys(fields)));
			// The secret itself is never sent, only what is derived from it.
			expect(JSON.stringify(fields)).not.toContain('secret');
		});
	});
});
