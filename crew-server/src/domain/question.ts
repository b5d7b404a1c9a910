import * as payloads from './callbackPayloads';
import type { Draft } from './draft';
import { factsOf, isOpen, type Question, type Task } from './execution';

/** Asks a person about a task, and replaces a question about it that is still open. */
export function putQuestion(
	draft: Draft,
	task: Task,
	asked: Omit<Question, 'id' | 'taskId'>,
): void {
	const { taskId } = task;
	const { questions } = draft.execution;
	const index = questions.findIndex((one) => one.taskId === taskId && isOpen(one));
	const open = questions[index];
	// A question is asked again if its process ended while it waited: an answer to the same words counts for both.
	const isSame = open?.output === asked.output && open.reason === asked.reason;
	const id = isSame ? open.id : Math.max(0, ...questions.map((one) => one.id)) + 1;
	const question = { id, taskId, ...asked };
	draft.set({ questions: open ? questions.with(index, question) : [...questions, question] });
	const question_id = String(id);
	draft.tell('human_feedback_requested', { ...factsOf(task), question_id, output: asked.output });
	draft.releaseEvents();
	draft.call(payloads.humanInputWanted(draft.execution, task, question));
}
