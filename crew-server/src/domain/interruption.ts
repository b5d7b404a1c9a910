import type { Draft } from './draft';
import { fail } from './ending';
import {
	findTask,
	isHeldBack,
	isSettled,
	questionAbout,
	type Answer,
	type Execution,
	type Task,
} from './execution';
import { putQuestion } from './question';

/** How often a task starts again after it was interrupted. */
export const MOST_RETRIES = 2;

/** The process that did the work has ended, or is about to: its running tasks run again, unless they say otherwise. */
export function giveBack(draft: Draft, type: 'interrupted' | 'requeued'): true {
	if (type === 'interrupted') {
		draft.setTasks(
			({ state }) => state === 'running' || state === 'answered',
			({ interruptions = 0 }) => ({ interruptions: interruptions + 1 }),
		);
	}
	const interrupted = draft.execution.tasks.filter((task) => isAtWork(draft.execution, task));
	const failing = interrupted.find(({ onInterrupt }) => onInterrupt === 'fail');
	if (failing) {
		fail(draft, failure(failing.taskId));
		return true;
	}
	takeBegunBack(draft);
	if (type === 'requeued') draft.set({ state: 'queued' });
	for (const { taskId, onInterrupt } of interrupted) if (onInterrupt === 'ask') ask(draft, taskId);
	return true;
}

/** A person has said whether a task that was cut off should run again. */
export function takeDecision(
	draft: Draft,
	task: Task,
	{ feedback, isApprove }: Omit<Answer, 'at'>,
): true {
	if (isApprove) {
		// If a person allows it each time, there is no limit.
		draft.setTask(task, { state: 'waiting', interruptions: 0 });
		if (!isHeldBack(draft.execution)) draft.set({ state: 'queued' });
	} else fail(draft, refusal(task.taskId, feedback));
	return true;
}

/** Why an execution does not start again, if one of its tasks was interrupted too often. */
export function retriesExhausted({ tasks }: Execution): string | undefined {
	const task = tasks.find(({ interruptions = 0 }) => interruptions > MOST_RETRIES);
	return (
		task &&
		`The task ${task.taskId} was cut off ${task.interruptions ?? 0} times by the end of the server or of its Python process. It does not start again, since each try costs model calls.`
	);
}

/** Whether a process was running a task. That includes a task with a question that only its own process can continue. */
function isAtWork(execution: Execution, { taskId, state }: Task): boolean {
	if (state === 'running') return true;
	return !isSettled(state) && questionAbout(execution, taskId)?.checkpoint === null;
}

/** The start of a task that did not end does not count as an attempt. */
function takeBegunBack(draft: Draft): void {
	draft.setTasks(
		({ state }) => state === 'running',
		({ attempts }) => ({ state: 'waiting', attempts: attempts - 1 }),
	);
}

function ask(draft: Draft, taskId: string): void {
	const before = findTask(draft.execution, taskId);
	if (!before) return;
	const task = draft.setTask(before, { state: 'pending_human_input' });
	draft.set({ state: 'pending_human_input' });
	putQuestion(draft, task, { output: question(taskId), isAboutInterruption: true });
}

const interruptedText = (taskId: string) => `The task ${taskId} was cut off while it was running.`;

function question(taskId: string): string {
	return `${interruptedText(taskId)} What its tools were doing may already be done. Approve to run it again, or reject to end the execution.`;
}

function failure(taskId: string): string {
	return `${interruptedText(taskId)} What its tools were doing may already be done, and the project’s on_interrupt says that it does not run again.`;
}

function refusal(taskId: string, feedback: string): string {
	const why = feedback.trim();
	const reason = why === '' ? '.' : `: ${why}`;
	return `${interruptedText(taskId)} A person has decided not to run it again${reason}`;
}
