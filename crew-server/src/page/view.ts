import type { CallbackRecord } from '../callbacks/callback';
import { isOpen, questionText, type ExecutionRecord, type TaskRecord } from '../executions/record';
import type { RequestRecord } from '../http/requestLog';

/** What the page shows of each list, newest first. */
export const SHOWN_EXECUTIONS = 50;
export const SHOWN_REQUESTS = 100;
export const SHOWN_CALLBACKS = 100;

/** Characters that the page shows of one text. */
const SHOWN_TEXT = 20_000;

export function executionView(execution: ExecutionRecord): Record<string, unknown> {
	const { kickoffId, state, inputs, error, startedAt, callbacks } = execution;
	return {
		kickoffId,
		state,
		inputs,
		error,
		startedAt,
		callbacks,
		tasks: execution.tasks.map(taskView),
	};
}

function taskView(task: TaskRecord): Record<string, unknown> {
	const { taskId, agent, state, attempts, output, isAnswered } = task;
	const text = isOpen(task) ? questionText(task) : output;
	return {
		taskId,
		agent,
		state: isAnswered === true && state === 'pending_human_input' ? 'running' : state,
		attempts,
		output: text === undefined ? undefined : shorten(text),
	};
}

export function requestView(request: RequestRecord): Record<string, unknown> {
	const { id, at, method, path, status, isOpen, body, answer } = request;
	return { id, at, method, path, status, isOpen, body, answer: shorten(answer ?? '') };
}

/** Without headers: the page has no use for the tokens that they hold. */
export function callbackView(callback: CallbackRecord): Record<string, unknown> {
	const { id, kind, url, fate, status, problem, attempts, body } = callback;
	return { id, kind, url, fate, status, problem, attempts, body: shortenBody(body) };
}

function shorten(text: string): string {
	if (text.length <= SHOWN_TEXT) return text;
	return `${text.slice(0, SHOWN_TEXT)}\n... (${text.length} characters in all)`;
}

function shortenBody(body: Record<string, unknown>): unknown {
	const text = JSON.stringify(body);
	return text.length <= SHOWN_TEXT ? body : shorten(text);
}
