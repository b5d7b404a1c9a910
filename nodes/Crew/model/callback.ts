import { readResult, readTaskOutput } from './execution';
import { defined, firstId, isRecord, own, structured, type JsonRecord } from './json';
import { readTokenUsage } from './tokenUsage';

/** The kinds of callback that a crew sends, as the trigger's parameter `events` names them. */
export const CALLBACK_KINDS = ['crew', 'human_input', 'step', 'stream', 'task'] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

/** One notification of a crew: the payload's own fields, and the same few names for every kind. */
export interface CallbackEvent extends JsonRecord {
	event: CallbackKind | 'unknown';
	/** The event's type, on the stream. */
	type?: unknown;
	kickoff_id?: string;
	meta?: unknown;
}

/** The kind that the mark in a callback URL names (`?callback=crew`), `undefined` for other text. */
export function kindOfMark(mark: unknown): CallbackKind | undefined {
	return CALLBACK_KINDS.find((kind) => kind === mark);
}

/**
 * Reads the body of a callback.
 *
 * @param body a JSON object or array; an array has one notification per entry
 * @param mark the kind that the URL was marked with, if it was
 * @returns one event per notification, in the order of the body; `event` is `unknown` for a shape
 * that no callback has
 */
export function readCallback(body: unknown, mark?: CallbackKind): CallbackEvent[] {
	const payloads: unknown[] = Array.isArray(body) ? body : [body];
	return payloads.flatMap((payload) => {
		const events: unknown = own(payload, 'events');
		const isStream = Array.isArray(events) && (mark ?? 'stream') === 'stream';
		if (!isStream) return [readPayload(payload, mark)];
		return events.map((event) => readStreamEvent(event, own(payload, 'meta')));
	});
}

function readPayload(payload: unknown, mark: CallbackKind | undefined): CallbackEvent {
	if (!isRecord(payload)) return { event: mark ?? 'unknown', value: payload };
	const kind = mark ?? kindOfShape(payload);
	if (kind === 'stream') return readStreamEvent(payload, undefined);
	return defined({
		...payload,
		...(kind === 'human_input' ? readQuestion(payload) : {}),
		...(kind === 'crew' ? { ...readResult(payload), ...readTokenUsage(payload) } : {}),
		...(kind === 'task' ? { output_json: readTaskJson(payload) } : {}),
		event: kind ?? 'unknown',
		kickoff_id: executionId(payload),
	});
}

/** Checks only what distinguishes the kinds; everything else in a payload may be missing. */
function kindOfShape(payload: JsonRecord): CallbackKind | undefined {
	const has = (...names: string[]) => names.some((name) => Object.hasOwn(payload, name));
	if (typeof payload.type === 'string' && has('data', 'timestamp', 'execution_id')) return 'stream';
	if (has('expected_output', 'summary')) return 'task';
	if (has('task_id') && has('task_output', 'task_name', 'output')) return 'human_input';
	if (has('thought', 'prompt', 'tool', 'tool_input')) return 'step';
	if (has('token_usage', 'result_json', 'result')) return 'crew';
	if (has('agent', 'description') && has('output', 'output_json')) return 'task';
	return undefined;
}

function readStreamEvent(event: unknown, outerMeta: unknown): CallbackEvent {
	if (!isRecord(event)) return { event: 'stream', data: event };
	return defined({
		...event,
		event: 'stream' as const,
		kickoff_id: executionId(event) ?? executionId(own(event, 'data')),
		meta: own(event, 'meta') ?? outerMeta ?? own(own(event, 'data'), 'meta'),
	});
}

function executionId(record: unknown): string | undefined {
	return firstId(record, 'kickoff_id', 'execution_id', 'kickoffId');
}

function readQuestion(payload: JsonRecord): { task_id?: string; task_output?: string } {
	return {
		task_id: firstId(payload, 'task_id'),
		task_output: readTaskOutput(own(payload, 'task_output') ?? own(payload, 'output')),
	};
}

function readTaskJson(payload: JsonRecord): unknown {
	const sent = own(payload, 'output_json');
	return sent ?? structured(own(payload, 'output')) ?? sent;
}
