import type { ExecutionRecord, TaskRecord } from '../../executions/record';
import type { AnswerToTask, BeginOrder } from './protocol';

/** What a child has to know to work on an execution from where it stands. */
export function beginOrder(execution: ExecutionRecord): BeginOrder {
	const { kickoffId, inputs, restoredFrom: restore = null, tasks, feedback } = execution;
	return {
		type: 'begin',
		kickoff_id: kickoffId,
		inputs,
		restore,
		tasks: tasks.map(({ taskId }) => taskId),
		prepared: execution.prepared ?? null,
		done: tasks.filter(({ state }) => state === 'completed').map(doneTask),
		approvals: feedback
			.filter(({ isApprove, text }) => isApprove && text.trim() !== '')
			.map(({ taskId, text }) => ({ task_id: taskId, feedback: text })),
		asked: tasks
			.filter(({ state, kept }) => state !== 'completed' && kept !== undefined)
			.map((task) => ({
				task_id: task.taskId,
				answer: answerTo(execution, task),
				kept: task.kept,
			})),
	};
}

function doneTask(task: TaskRecord): BeginOrder['done'][number] {
	const { taskId, output = '', outputJson = null, description, expectedOutput, agent } = task;
	return {
		task_id: taskId,
		output,
		output_json: outputJson,
		description,
		expected_output: expectedOutput,
		agent,
		// With its secrets, which nobody is shown.
		...(task.kept as { output: string; output_json: unknown } | undefined | null),
	};
}

/** What a person said to the question of a task, if they have. */
export function answerTo({ feedback }: ExecutionRecord, task: TaskRecord): AnswerToTask | null {
	const newest = feedback.findLast(({ taskId }) => taskId === task.taskId);
	if (!newest || task.isAnswered !== true) return null;
	return { is_approve: newest.isApprove, feedback: newest.text };
}
