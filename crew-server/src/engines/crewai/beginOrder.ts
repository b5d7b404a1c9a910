import type { ExecutionRecord, TaskRecord } from '../../executions/record';
import type { BeginOrder } from './protocol';

/** What a child has to know to work on an execution from where it stands. */
export function beginOrder(execution: ExecutionRecord): BeginOrder {
	const { kickoffId, inputs, tasks, feedback, prepared = null } = execution;
	return {
		type: 'begin',
		kickoff_id: kickoffId,
		inputs,
		tasks: tasks.map(({ taskId }) => taskId),
		prepared,
		done: tasks.filter(({ state }) => state === 'completed').map(doneTask),
		approvals: feedback
			.filter(({ isApprove, text }) => isApprove && text.trim() !== '')
			.map(({ taskId, text }) => ({ task_id: taskId, feedback: text })),
		answer: answerOf(execution),
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

/** What a person said about a task that is not done since. */
function answerOf({ tasks, feedback }: ExecutionRecord): BeginOrder['answer'] {
	const newest = feedback.at(-1);
	const asked = tasks.find(({ taskId }) => taskId === newest?.taskId);
	if (!newest || asked?.state === 'completed' || asked?.kept === undefined) return null;
	const { taskId, isApprove, text } = newest;
	return { task_id: taskId, is_approve: isApprove, feedback: text, kept: asked.kept };
}
