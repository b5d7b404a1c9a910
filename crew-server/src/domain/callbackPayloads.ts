import {
	finalOutput,
	finalOutputAsJson,
	questionText,
	type Execution,
	type Question,
	type Step,
	type StreamEvent,
	type Task,
} from './execution';
import { jsonOf } from './json';
import type { CallbackAuthentication, CallbackKind, HeldEvents } from './targets';

/** The part of a callback that does not depend on earlier ones. */
export interface CallbackPayload {
	kind: CallbackKind;
	target: { url: string; authentication?: CallbackAuthentication };
	body: Record<string, unknown>;
	held?: HeldEvents;
}

/** `taskWebhookUrl`: a task has been completed. */
export function taskCompleted({ callbacks }: Execution, task: Task): CallbackPayload[] {
	return atUrl('task', callbacks.taskWebhookUrl, taskBody(task));
}

/** What a task callback says about its task; the queue dialect's status says the same. */
export function taskBody(task: Task): Record<string, unknown> {
	const output = task.output ?? '';
	return {
		name: task.taskId,
		description: task.description,
		expected_output: task.expectedOutput,
		summary: `${task.description.split(/\s+/, 10).join(' ')}...`,
		agent: task.agent,
		output,
		output_json: jsonOf(task),
	};
}

/** `stepWebhookUrl`: an agent had a thought or used a tool. */
export function stepTaken({ callbacks, lastStep }: Execution, step: Step): CallbackPayload[] {
	const isOfTools = step.tool !== undefined || lastStep?.tool !== undefined;
	if (callbacks.stepsOfTools && !isOfTools) return [];
	return atUrl('step', callbacks.stepWebhookUrl, { ...step });
}

/** `crewWebhookUrl`: the crew has completed. A crew that fails does not call it. */
export function crewCompleted(execution: Execution): CallbackPayload[] {
	return atUrl('crew', execution.callbacks.crewWebhookUrl, {
		result: finalOutput(execution),
		result_json: finalOutputAsJson(execution),
		token_usage: { ...execution.tokenUsage },
	});
}

/** `humanInputWebhook`, `humanInputWebhookUrl`: a person is asked about a task's output. */
export function humanInputWanted(
	{ kickoffId: execution_id, callbacks }: Execution,
	{ taskId, uuid }: Task,
	question: Question,
): CallbackPayload[] {
	const { humanInputWebhook: target, humanInputWebhookUrl } = callbacks;
	const task_output = questionText(question);
	const asked = { question_id: String(question.id), task_output };
	const named = { execution_id, task_id: taskId, task_name: taskId, ...asked };
	const numbered = { kickoff_id: execution_id, execution_id, task_id: uuid, ...asked };
	return [
		...(target ? [{ kind: 'human_input' as const, target, body: named }] : []),
		...atUrl('human_input', humanInputWebhookUrl, numbered),
	];
}

/** `webhooks`: an event has happened, if the stream wants its type and each event at once. */
export function eventHappened({ callbacks }: Execution, entry: StreamEvent): CallbackPayload[] {
	const target = callbacks.webhooks;
	if (!target?.realtime || !isWanted(callbacks, entry.type)) return [];
	return [{ kind: 'stream', target, body: { events: [entry] } }];
}

/** Whether an event is held until a question or the end. */
export function isHeld({ callbacks }: Execution, type: string): boolean {
	return isWanted(callbacks, type) && !callbacks.webhooks?.realtime;
}

/** All held events, in one callback. */
export function heldEvents({ callbacks, heldFrom }: Execution): CallbackPayload[] {
	const target = callbacks.webhooks;
	if (!target || heldFrom === undefined) return [];
	return [{ kind: 'stream', target, body: {}, held: { from: heldFrom, types: target.events } }];
}

function isWanted({ webhooks }: Execution['callbacks'], type: string): boolean {
	return webhooks?.events.includes(type) ?? false;
}

function atUrl(
	kind: CallbackKind,
	url: string | undefined,
	body: Record<string, unknown>,
): CallbackPayload[] {
	return url === undefined ? [] : [{ kind, target: { url }, body }];
}
