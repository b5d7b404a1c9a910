import {
	openQuestion,
	questionText,
	statusOf,
	type Execution,
	type Task,
} from '../domain/execution';
import type { CallbackRecord } from '../store/store';

/** A request that was received, and how it was answered. */
export interface ShownRequest {
	id: number;
	/** Milliseconds since 1970. */
	at: number;
	method: string;
	path: string;
	/** Absent if it has no answer. */
	status?: number;
	isOpen: boolean;
	body?: unknown;
	answer?: string;
}

/** What the page shows of each list, newest first. */
export const SHOWN_EXECUTIONS = 50;
export const SHOWN_REQUESTS = 100;
export const SHOWN_CALLBACKS = 100;

/** Characters that the page shows of one text. */
const SHOWN_TEXT = 20_000;

export function executionView(execution: Execution): Record<string, unknown> {
	const { kickoffId, inputs, error, startedAt, callbacks } = execution;
	return {
		kickoffId,
		state: statusOf(execution),
		inputs,
		error,
		startedAt,
		callbacks,
		tasks: execution.tasks.map((task) => taskView(execution, task)),
	};
}

function taskView(execution: Execution, task: Task): Record<string, unknown> {
	const { taskId, agent, state, attempts, output } = task;
	const question = openQuestion(execution, taskId);
	const text = question ? questionText(question) : output;
	return {
		taskId,
		agent,
		state: state === 'answered' ? 'running' : state,
		attempts,
		questionId: question && String(question.id),
		output: text === undefined ? undefined : shorten(text),
	};
}

export function requestView(request: ShownRequest): Record<string, unknown> {
	const { id, at, method, path, status, isOpen, body, answer } = request;
	return { id, at, method, path, status, isOpen, body, answer: shorten(answer ?? '') };
}

export function callbackView(callback: CallbackRecord): Record<string, unknown> {
	const { id, kind, url, fate, attempts, body } = callback;
	const { status, problem } = attempts.at(-1) ?? {};
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
