import * as payloads from './callbackPayloads';
import type { Draft } from './draft';
import { factsOf, finalOutput, hasBegun, isSettled, type Output, type Task } from './execution';

/** @param result the crew's result, if it is not the last task's output */
export function crewDone(draft: Draft, result?: Output): void {
	if (result) draft.set({ result });
	finish(draft, 'completed');
	draft.tell('crew_kickoff_completed', {
		crew_name: draft.execution.crewName,
		output: finalOutput(draft.execution),
		total_tokens: draft.execution.tokenUsage.total_tokens,
	});
	draft.releaseEvents();
	draft.call(payloads.crewCompleted(draft.execution));
}

/** Fails the execution, with the tasks that had begun and not ended. */
export function fail(draft: Draft, error: string): void {
	const isUnfinished = (task: Task) => hasBegun(task) && !isSettled(task.state);
	for (const task of draft.execution.tasks.filter(isUnfinished)) failTask(draft, task, error);
	finish(draft, 'failed');
	draft.set({ error });
	draft.tell('crew_kickoff_failed', { crew_name: draft.execution.crewName, error });
	draft.releaseEvents();
}

export function stop(draft: Draft): true {
	finish(draft, 'stopped');
	draft.tell('crew_kickoff_stopped', { crew_name: draft.execution.crewName });
	draft.releaseEvents();
	return true;
}

export function failTask(draft: Draft, task: Task, error: string): void {
	const failed = draft.setTask(task, { state: 'failed', finishedAt: draft.now });
	draft.tell('task_failed', { ...factsOf(failed), error });
}

/** Ends the execution, and drops what was kept only to continue it. */
function finish(draft: Draft, state: 'completed' | 'failed' | 'stopped'): void {
	const { tasks, questions } = draft.execution;
	draft.set({
		state,
		finishedAt: draft.now,
		checkpoint: undefined,
		tasks: tasks.map((task) => ({ ...task, checkpoint: undefined })),
		questions: questions.map((question) => ({ ...question, checkpoint: undefined })),
	});
}
