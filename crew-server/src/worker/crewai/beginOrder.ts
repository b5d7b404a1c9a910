import { isAnswered, questionAbout, type Execution, type Task } from '../../domain/execution';
import type { AnswerToTask, BeginOrder } from './protocol';

/** What a child needs to know to continue an execution from its current state. */
export function beginOrder(execution: Execution): BeginOrder {
	const { kickoffId, inputs, restoredFrom: restore = null, tasks, questions } = execution;
	return {
		type: 'begin',
		kickoff_id: kickoffId,
		begun_as: execution.begunAs ?? kickoffId,
		inputs,
		restore,
		traceparent: execution.traceparent ?? null,
		tasks: tasks.map(({ taskId }) => taskId),
		checkpoint: execution.checkpoint ?? null,
		done: tasks.filter(({ state }) => state === 'completed').map(doneTask),
		approvals: questions.flatMap(({ taskId: task_id, answer }) =>
			answer?.isApprove && answer.feedback.trim() !== ''
				? [{ task_id, feedback: answer.feedback }]
				: [],
		),
		asked: tasks.flatMap((task) => {
			const question = questionAbout(execution, task.taskId);
			if (task.state === 'completed' || question?.checkpoint === undefined) return [];
			const answer = answerTo(execution, task);
			return [{ task_id: task.taskId, answer, checkpoint: question.checkpoint }];
		}),
	};
}

function doneTask(task: Task): BeginOrder['done'][number] {
	const { taskId, output = '', outputJson = null, description, expectedOutput, agent } = task;
	return {
		task_id: taskId,
		output,
		output_json: outputJson,
		description,
		expected_output: expectedOutput,
		agent,
	};
}

/** The answer to the question of a task, if there is one. */
export function answerTo(execution: Execution, task: Task): AnswerToTask | null {
	const answer = questionAbout(execution, task.taskId)?.answer;
	if (!answer || !isAnswered(execution, task)) return null;
	return { is_approve: answer.isApprove, feedback: answer.feedback };
}
