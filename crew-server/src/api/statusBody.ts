import { taskBody } from '../domain/callbackPayloads';
import type { Brief } from '../domain/brief';
import type { CrewDescription } from '../domain/crew';
import {
	currentTask,
	finalOutput,
	finalOutputAsJson,
	lastExecutedTask,
	openQuestion,
	questionText,
	statusOf,
	type Status,
	type Task,
	type Told,
} from '../domain/execution';
import type { Aspects } from './aspects';
import { progressBody, secondsTaken } from './progressBody';

type Body = Record<string, unknown>;

/** The kind of a status endpoint's answer, once its path is known. */
export type StatusBodyKind = Exclude<Aspects['statusBody'], 'by-path'>;

/** The word for an execution that waits for a person, unless a deployment has another. */
export const PAUSE_WORDS: Record<StatusBodyKind, string> = {
	status: 'pending_human_input',
	state: 'Pending Human Input',
	both: 'pending_human_input',
	platform: 'NOT FOUND',
};

/** The platform's answer for an unknown execution. */
export const NOT_FOUND = {
	state: 'NOT FOUND',
	status: 'Task not found or Invalid kickoff id',
} as const;

/** A status endpoint's answer about an execution. */
export function statusBody(
	execution: Told,
	crew: CrewDescription,
	kind: StatusBodyKind,
	pauseWord = PAUSE_WORDS[kind],
): Body {
	const now = Date.now();
	switch (kind) {
		case 'status':
			return documentedBody(execution, pauseWord, now);
		case 'state':
			return queueBody(execution, crew, pauseWord, now);
		case 'platform':
			return platformBody(execution, crew, pauseWord, now);
		case 'both':
			return { ...documentedBody(execution, pauseWord, now), state: queueState(execution) };
	}
}

const STATUS_WORDS: Record<Exclude<Status, 'pending_human_input'>, string> = {
	running: 'running',
	completed: 'completed',
	failed: 'error',
	stopped: 'stopped',
};

/** The answer of the kind `status` without any texts; `undefined` if texts belong to it. */
export function briefStatusBody(execution: Brief, now: number): Body | undefined {
	const state = statusOf(execution);
	const execution_time = secondsTaken(execution, now);
	if (state === 'failed') {
		return { status: STATUS_WORDS[state], error: execution.error ?? '', execution_time };
	}
	if (state === 'stopped') return { status: STATUS_WORDS[state], execution_time };
	return state === 'running' ? { status: STATUS_WORDS[state], ...whereItIs(execution) } : undefined;
}

function whereItIs(execution: Brief): Body {
	return {
		current_task: currentTask(execution)?.taskId ?? null,
		progress: {
			completed_tasks: execution.tasks.filter((one) => one.state === 'completed').length,
			total_tasks: execution.tasks.length,
		},
	};
}

function documentedBody(execution: Told, pauseWord: string, now: number): Body {
	const brief = briefStatusBody(execution, now);
	if (brief) return brief;
	if (execution.state === 'completed') {
		// A flow does not run all its methods.
		const tasks = execution.tasks
			.filter((task) => task.state === 'completed')
			.map((task) => documentedTask(task, now));
		return {
			status: STATUS_WORDS.completed,
			result: { output: finalOutput(execution), tasks },
			execution_time: secondsTaken(execution, now),
		};
	}
	// What a person needs to decide is here too, for clients that poll instead of being called.
	const task = currentTask(execution);
	const question = task && openQuestion(execution, task.taskId);
	return {
		status: pauseWord,
		...whereItIs(execution),
		task_id: task?.taskId ?? null,
		question_id: question ? String(question.id) : null,
		task_output: question ? questionText(question) : '',
	};
}

function documentedTask(task: Task, now: number): Body {
	return {
		task_id: task.taskId,
		output: task.output ?? '',
		agent: task.agent,
		execution_time: secondsTaken(task, now),
	};
}

/** What a task queue and the platform both tell. */
function queueFacts(execution: Told, crew: CrewDescription, now: number): Body {
	const isCompleted = execution.state === 'completed';
	return {
		result: isCompleted ? finalOutput(execution) : null,
		result_json: isCompleted ? finalOutputAsJson(execution) : null,
		usage_metrics: { ...execution.tokenUsage },
		progress: progressBody(execution, crew, now),
		last_step: execution.lastStep ?? null,
	};
}

function queueBody(execution: Told, crew: CrewDescription, pauseWord: string, now: number): Body {
	const last = lastExecutedTask(execution);
	const error = execution.error ?? null;
	const asked = statusOf(execution) === 'pending_human_input' ? currentTask(execution) : undefined;
	const question = asked && openQuestion(execution, asked.taskId);
	return {
		state: queueState(execution),
		// Clients of a task queue know no state for a question, so it is reported next to the state.
		status: asked ? pauseWord : error,
		question_id: question ? String(question.id) : null,
		error,
		...queueFacts(execution, crew, now),
		last_executed_task: last ? { task_id: last.taskId, ...taskBody(last) } : null,
	};
}

const MESSAGES: Record<string, string> = {
	PENDING: 'Task is pending',
	STARTED: 'Task is Running',
	RUNNING: 'Task is Running',
};

function platformBody(
	execution: Told,
	crew: CrewDescription,
	pauseWord: string,
	now: number,
): Body {
	const isAsked = statusOf(execution) === 'pending_human_input';
	// While an execution waits for a person, the platform does not know it either.
	if (isAsked && pauseWord === NOT_FOUND.state) return NOT_FOUND;
	const { lastEvent = null, events, begunAs, meta, error = null } = execution;
	const state = isAsked ? pauseWord : queueState(execution);
	const last = lastExecutedTask(execution);
	return {
		state,
		status: MESSAGES[state] ?? error,
		...queueFacts(execution, crew, now),
		last_executed_task: last ? { task_id: last.uuid, ...taskBody(last), meta: meta ?? null } : null,
		last_event: lastEvent,
		events_count: events,
		execution_origin: begunAs === undefined ? 'api' : 'hitl-resume',
	};
}

/** The word of a task queue, of those that its clients know; it is also what a refused stop tells. */
export function queueState(execution: Told): string {
	switch (statusOf(execution)) {
		case 'running':
			return runningState(execution);
		case 'pending_human_input':
			return 'RUNNING';
		case 'completed':
			return 'SUCCESS';
		case 'failed':
			return 'FAILED';
		case 'stopped':
			return 'REVOKED';
	}
}

function runningState(execution: Told): string {
	if (execution.state === 'queued') return 'PENDING';
	const { tasks, questions } = execution;
	const hasResults = questions.length > 0 || tasks.some((task) => task.state === 'completed');
	return hasResults || (currentTask(execution)?.attempts ?? 0) > 1 ? 'RUNNING' : 'STARTED';
}
