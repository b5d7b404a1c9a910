import type { IWebhookFunctions } from 'n8n-workflow';
import type { CallbackEvent } from '../model/callback';
import { defined, isOn, own } from '../model/json';
import { asList } from '../callbacks/choice';

/** If no kind is chosen, everything counts, even events of unknown kinds. */
export function isChosen(context: IWebhookFunctions): (event: CallbackEvent) => boolean {
	const kinds = readKinds(context);
	const types = asList(context.getNodeParameter('options.eventTypes', []));
	return ({ event, type }) => {
		const isKind = kinds.length === 0 || kinds.includes(event);
		return (
			isKind && (event !== 'stream' || types.length === 0 || types.some((one) => one === type))
		);
	};
}

/** The names of the kinds that start the workflow; none means all. */
export function readKinds(context: IWebhookFunctions): string[] {
	return asList(context.getNodeParameter('events', []));
}

/** One event per item, in the order of their timestamps; or, if the user wants that, all events of the request's stream in one item as `events`. */
export function splitOrJoin(context: IWebhookFunctions, events: CallbackEvent[]): CallbackEvent[] {
	if (isOn(context.getNodeParameter('options.splitEvents', true), true)) return byTime(events);
	const isStream = ({ event }: CallbackEvent) => event === 'stream';
	const stream = byTime(events.filter(isStream));
	const others = events.filter((event) => !isStream(event));
	if (stream.length === 0) return others;
	const ids = new Set(stream.map(({ kickoff_id: id }) => id));
	const joined = defined({
		event: 'stream' as const,
		kickoff_id: ids.size === 1 ? [...ids][0] : undefined,
		meta: stream[0]?.meta,
		events: stream,
	});
	return [joined, ...others];
}

/** Events without a readable timestamp keep their places among the others. */
function byTime(events: CallbackEvent[]): CallbackEvent[] {
	const timed = events.filter((event) => !Number.isNaN(timeOf(event)));
	const sorted = timed
		.sort((a, b) => timeOf(a) - timeOf(b) || sequenceOf(a) - sequenceOf(b))
		.values();
	return events.map((event) =>
		Number.isNaN(timeOf(event)) ? event : (sorted.next().value ?? event),
	);
}

/** Milliseconds since the epoch, from a date as text or a number of seconds or milliseconds. */
function timeOf({ timestamp }: CallbackEvent): number {
	if (typeof timestamp === 'number') return timestamp < 1e11 ? timestamp * 1000 : timestamp;
	return typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
}

/** The event's number, if the deployment counts them. */
function sequenceOf({ data }: CallbackEvent): number {
	return Number(own(data, 'emission_sequence') ?? 0) || 0;
}
