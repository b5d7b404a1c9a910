import { randomUUID } from 'node:crypto';

import {
	finalOutput,
	finalOutputAsJson,
	jsonOf,
	questionText,
	taskUuid,
	type ExecutionRecord,
	type Step,
	type StreamEvent,
	type TaskRecord,
} from '../executions/record';
import type { DueCallback } from './callback';
import type { CallbackKind } from './kind';
import { authorizationFor, type CallbackAuthentication } from './targets';

/** `taskWebhookUrl`: a task has been completed. */
export function taskCompleted(execution: ExecutionRecord, task: TaskRecord): DueCallback[] {
	const url = execution.callbacks.taskWebhookUrl;
	return url === undefined ? [] : [callback(execution, 'task', { url }, taskBody(task))];
}

/** What a task callback tells of its task; the queue dialect's status tells the same. */
export function taskBody(task: TaskRecord): Record<string, unknown> {
	const output = task.output ?? '';
	return {
		name: task.taskId,
		description: task.description,
		expected_output: task.expectedOutput,
		summary: `${task.description.split(/\s+/).slice(0, 10).join(' ')}...`,
		agent: task.agent,
		output,
		output_json: jsonOf(task),
	};
}

/** `stepWebhookUrl`: an agent had a thought or used a tool. */
export function stepTaken(
	execution: ExecutionRecord,
	step: Step,
	before: Step | undefined,
): DueCallback[] {
	const { stepWebhookUrl: url, stepsOfTools } = execution.callbacks;
	const isOfTools = step.tool !== undefined || before?.tool !== undefined;
	return url === undefined || (stepsOfTools && !isOfTools)
		? []
		: [callback(execution, 'step', { url }, { ...step })];
}

/** `crewWebhookUrl`: the crew has completed. A crew that fails does not call it. */
export function crewCompleted(execution: ExecutionRecord): DueCallback[] {
	const url = execution.callbacks.crewWebhookUrl;
	if (url === undefined) return [];
	const result = finalOutput(execution);
	const body = {
		result,
		result_json: finalOutputAsJson(execution),
		token_usage: { ...execution.tokenUsage },
	};
	return [callback(execution, 'crew', { url }, body)];
}

/** `humanInputWebhook`, `humanInputWebhookUrl`: a person is asked about a task's output. */
export function humanInputWanted(execution: ExecutionRecord, task: TaskRecord): DueCallback[] {
	const { humanInputWebhook: target, humanInputWebhookUrl: url } = execution.callbacks;
	const { kickoffId: execution_id } = execution;
	const task_output = questionText(task);
	const named = { execution_id, task_id: task.taskId, task_name: task.taskId, task_output };
	const numbered = {
		kickoff_id: execution_id,
		execution_id,
		task_id: taskUuid(execution, task),
		task_output,
	};
	return [
		...(target ? [callback(execution, 'human_input', target, named)] : []),
		...(url === undefined ? [] : [callback(execution, 'human_input', { url }, numbered)]),
	];
}

/** An entry for the event stream. */
export function streamEvent(
	{ kickoffId, events }: ExecutionRecord,
	type: string,
	data: Record<string, unknown>,
): StreamEvent {
	const timestamp = new Date().toISOString();
	const numbered = { ...data, emission_sequence: events + 1 };
	return { id: randomUUID(), execution_id: kickoffId, timestamp, type, data: numbered };
}

/**
 * `webhooks`: an event has happened, if the stream wants its type. A realtime stream sends it at once, any
 * other holds it until {@link heldEvents}.
 */
export function event(execution: ExecutionRecord, entry: StreamEvent): DueCallback[] {
	const target = execution.callbacks.webhooks;
	if (!target?.events.includes(entry.type)) return [];
	if (target.realtime) return [callback(execution, 'stream', target, { events: [entry] })];
	execution.heldEvents.push(entry);
	return [];
}

/** Sends all events that were held, in one callback. */
export function heldEvents(execution: ExecutionRecord): DueCallback[] {
	const target = execution.callbacks.webhooks;
	const events = execution.heldEvents.splice(0);
	if (!target || events.length === 0) return [];
	return [callback(execution, 'stream', target, { events })];
}

function callback(
	execution: ExecutionRecord,
	kind: CallbackKind,
	target: { url: string; authentication?: CallbackAuthentication },
	body: Record<string, unknown>,
): DueCallback {
	const tellsExecution = kind === 'human_input' || kind === 'stream';
	return {
		id: randomUUID(),
		kickoffId: execution.kickoffId,
		kind,
		url: target.url,
		sequence: nextSequence(),
		authorization: authorizationFor(target.authentication),
		body: {
			...body,
			...(tellsExecution ? {} : { kickoff_id: execution.kickoffId }),
			...(execution.meta === undefined ? {} : { meta: execution.meta }),
		},
	};
}

let lastSequence = 0;

/** Rises from callback to callback, also from one process to the next: microseconds since 1970. */
function nextSequence(): number {
	lastSequence = Math.max(lastSequence + 1, Date.now() * 1_000);
	return lastSequence;
}
