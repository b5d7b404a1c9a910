import { taskBody } from '../callbacks/announcements';
import type { Aspects } from '../dialect';
import {
	currentTask,
	finalOutput,
	finalOutputAsJson,
	lastExecutedTask,
	secondsTaken,
	type ExecutionRecord,
	type ExecutionState,
	type TaskRecord,
} from '../executions/record';

type Body = Record<string, unknown>;

/** The status endpoint's answer about an execution. */
export function statusBody(execution: ExecutionRecord, aspects: Aspects): Body {
	switch (aspects.statusBody) {
		case 'status':
			return documentedBody(execution, aspects.pauseWord);
		case 'state':
			return queueBody(execution, aspects.pauseWord);
		case 'both':
			return {
				...documentedBody(execution, aspects.pauseWord),
				state: queueState(execution, aspects.pauseWord),
			};
	}
}

const STATUS_WORDS: Record<Exclude<ExecutionState, 'pending_human_input'>, string> = {
	running: 'running',
	completed: 'completed',
	failed: 'error',
	stopped: 'stopped',
};

function documentedBody(execution: ExecutionRecord, pauseWord: string): Body {
	const { state } = execution;
	const execution_time = secondsTaken(execution);
	if (state === 'completed') {
		const tasks = execution.tasks.map(documentedTask);
		return {
			status: STATUS_WORDS[state],
			result: { output: finalOutput(execution), tasks },
			execution_time,
		};
	}
	if (state === 'failed') {
		return { status: STATUS_WORDS[state], error: execution.error ?? '', execution_time };
	}
	if (state === 'stopped') return { status: STATUS_WORDS[state], execution_time };
	const task = currentTask(execution);
	const progress = {
		completed_tasks: execution.tasks.filter((one) => one.state === 'completed').length,
		total_tasks: execution.tasks.length,
	};
	if (state === 'running') {
		return { status: STATUS_WORDS[state], current_task: task?.taskId ?? null, progress };
	}
	// What a person needs to decide is told here too, for those who poll instead of being called.
	return {
		status: pauseWord,
		current_task: task?.taskId ?? null,
		progress,
		task_id: task?.taskId ?? null,
		task_output: task?.output ?? '',
	};
}

function documentedTask(task: TaskRecord): Body {
	return {
		task_id: task.taskId,
		output: task.output ?? '',
		agent: task.agent,
		execution_time: secondsTaken(task),
	};
}

function queueBody(execution: ExecutionRecord, pauseWord: string): Body {
	const last = lastExecutedTask(execution);
	const result = queueResult(execution);
	return {
		state: queueState(execution, pauseWord),
		result,
		result_json: execution.state === 'completed' ? finalOutputAsJson(execution) : null,
		last_step: execution.lastStep ?? null,
		last_executed_task: last ? { task_id: last.taskId, ...taskBody(last) } : null,
	};
}

function queueResult(execution: ExecutionRecord): string | null {
	if (execution.state === 'completed') return finalOutput(execution);
	return execution.error ?? null;
}

/** The word of a task queue; it is also what a refused stop tells. */
export function queueState(execution: ExecutionRecord, pauseWord: string): string {
	switch (execution.state) {
		case 'running':
			return runningState(execution);
		case 'pending_human_input':
			return pauseWord;
		case 'completed':
			return 'SUCCESS';
		case 'failed':
			return 'FAILURE';
		case 'stopped':
			return 'REVOKED';
	}
}

function runningState(execution: ExecutionRecord): string {
	if (execution.waitsInLine) return 'PENDING';
	if ((currentTask(execution)?.attempts ?? 0) > 1) return 'RETRY';
	return execution.tasks.some(({ state }) => state === 'completed') ? 'RUNNING' : 'STARTED';
}
