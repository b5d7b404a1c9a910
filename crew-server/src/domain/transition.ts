import * as payloads from './callbackPayloads';
import { Draft, type Change } from './draft';
import { crewDone, fail, failTask, stop } from './ending';
import { excerpt } from './excerpt';
import {
	factsOf,
	findTask,
	hasEnded,
	hasUntold,
	isAnswered,
	isHeldBack,
	isOpen,
	isWaitingForPerson,
	openQuestion,
	type Execution,
	type Question,
	type Step,
	type Task,
	type TaskTexts,
	type TokenUsage,
} from './execution';
import { giveBack, takeDecision } from './interruption';
import type { Command, Report } from './messages';
import { putQuestion } from './question';
import { tasksOf } from './tasks';

/**
 * The rules of the API: how a command or a report changes an execution.
 *
 * @param now milliseconds since 1970
 * @returns `undefined` if it changes nothing, e.g. if the execution has ended
 */
export function transition(
	execution: Execution,
	message: Command | Report,
	now: number,
): Change | undefined {
	if (hasEnded(execution)) return undefined;
	const draft = new Draft(execution, now);
	const isTaken = take(draft, message);
	return isTaken ? draft : undefined;
}

/** @returns whether it means anything to the execution */
function take(draft: Draft, message: Command | Report): boolean {
	switch (message.type) {
		case 'answer':
			return answer(draft, message);
		case 'told':
			return told(draft);
		case 'stop':
			return stop(draft);
		case 'checkpoint':
			draft.set({ checkpoint: message.checkpoint });
			return true;
		case 'step':
			takeStep(draft, message.step);
			return true;
		case 'tokens':
			draft.set({ tokenUsage: sum(draft.execution.tokenUsage, message.usage) });
			return true;
		case 'event':
			draft.tell(message.name, excerpt(message.data));
			return true;
		case 'file_written':
			draft.set({ hasFiles: true });
			return true;
		case 'paused':
			return pause(draft);
		case 'crew_done':
			crewDone(draft, message.result);
			return true;
		case 'failed':
			fail(draft, message.error);
			return true;
		case 'interrupted':
		case 'requeued':
			return isWaitingForPerson(draft.execution) ? pause(draft) : giveBack(draft, message.type);
		case 'planned_anew':
			return planAnew(draft, message);
		default:
			return takeOfTask(draft, message);
	}
}

/** Shortens a step's texts, but not its result: that may be the task's output. */
function takeStep(draft: Draft, { result, ...texts }: Step): void {
	const step = { ...excerpt(texts), result };
	draft.call(payloads.stepTaken(draft.execution, step));
	draft.set({ lastStep: step });
}

function takeOfTask(draft: Draft, report: Extract<Report, { taskId: string }>): boolean {
	const task = findTask(draft.execution, report.taskId);
	if (!task) return false;
	switch (report.type) {
		case 'task_begun':
			begin(draft, task, report.texts);
			break;
		case 'question':
			ask(draft, task, report);
			break;
		case 'task_skipped':
			draft.setTask(task, { state: 'completed', output: '' });
			break;
		case 'task_done':
			taskDone(draft, task, report);
			break;
		case 'task_lost':
			failTask(draft, task, report.error);
	}
	return true;
}

function begin(draft: Draft, task: Task, texts: TaskTexts = {}): void {
	const times = { startedAt: draft.now, finishedAt: undefined };
	const attempts = task.attempts + 1;
	draft.tell(
		'task_started',
		factsOf(draft.setTask(task, { ...texts, ...times, state: 'running', attempts })),
	);
}

function ask(draft: Draft, before: Task, report: Extract<Report, { type: 'question' }>): void {
	const { taskId, output, outputJson, reason, checkpoint, isBlocking } = report;
	const given = {
		state: 'pending_human_input',
		output,
		outputJson,
		finishedAt: draft.now,
	} as const;
	const task = draft.setTask(before, given);
	draft.set({ questions: withoutCheckpoint(draft.execution, taskId) });
	putQuestion(draft, task, { output, outputJson, reason, checkpoint, isBlocking });
}

/** A person has answered: the execution continues, with the callbacks that came with the answer. */
function answer(draft: Draft, command: Extract<Command, { type: 'answer' }>): boolean {
	const { taskId, questionId, feedback, isApprove, callbacks, newId, isFinal } = command;
	const question = openQuestion(draft.execution, taskId);
	const task = question && findTask(draft.execution, question.taskId);
	if (!task || question.id !== (questionId ?? question.id)) return false;
	if (newId !== undefined) rename(draft, newId);
	const questions = draft.execution.questions.map((one) =>
		one.id === question.id
			? { ...one, answer: { feedback, isApprove, at: draft.now } }
			: { ...one, isBlocking: undefined },
	);
	draft.set({ callbacks, questions });
	if (question.isAboutInterruption) return takeDecision(draft, task, { feedback, isApprove });
	const next = draft.setTask(task, { state: isApprove ? 'answered' : 'waiting' });
	if (isApprove && isFinal) taskDone(draft, next, { output: question.output });
	if (draft.execution.state !== 'pending_human_input') return true;
	if (draft.execution.tasks.every(({ state }) => state === 'completed')) crewDone(draft);
	else if (!isHeldBack(draft.execution)) draft.set({ state: 'queued' });
	return true;
}

/** Gives the execution a new identifier. The old one is no longer known. */
function rename(draft: Draft, newId: string): void {
	const { kickoffId, begunAs = kickoffId } = draft.execution;
	draft.releaseEvents();
	draft.set({ kickoffId: newId, begunAs, events: 0 });
}

function told(draft: Draft): boolean {
	if (!hasUntold(draft.execution)) return false;
	const questions = draft.execution.questions.map((one) =>
		isOpen(one) ? { ...one, isTold: true } : one,
	);
	draft.set({ questions });
	return true;
}

/** The work has reached a question; if that was answered meanwhile, the work can continue. */
function pause(draft: Draft): true {
	const { questions, tasks } = draft.execution;
	const hasAnswer = tasks.some((task) => isAnswered(draft.execution, task));
	const goesOn = !isHeldBack(draft.execution) && (hasAnswer || !questions.some(isOpen));
	draft.set({ state: goesOn ? 'queued' : 'pending_human_input' });
	return true;
}

function taskDone(
	draft: Draft,
	before: Task,
	{
		output,
		outputJson,
		checkpoint,
		texts,
	}: Omit<Extract<Report, { type: 'task_done' }>, 'type' | 'taskId'>,
): void {
	const finishedAt = before.finishedAt ?? draft.now;
	const task = draft.setTask(before, {
		...texts,
		output,
		outputJson,
		checkpoint,
		finishedAt,
		state: 'completed',
	});
	draft.set({ questions: withoutCheckpoint(draft.execution, task.taskId) });
	draft.tell('task_completed', { ...factsOf(task), output });
	draft.call(payloads.taskCompleted(draft.execution, task));
}

/** The questions, without what is kept to continue from those about a task. */
function withoutCheckpoint({ questions }: Execution, taskId: string): Question[] {
	return questions.map((one) => (one.taskId === taskId ? { ...one, checkpoint: undefined } : one));
}

function planAnew(
	draft: Draft,
	{ crew, taskUuids }: Extract<Report, { type: 'planned_anew' }>,
): true {
	draft.set({ tasks: tasksOf(crew, taskUuids, draft.execution.inputs) });
	return true;
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
	return {
		total_tokens: one.total_tokens + other.total_tokens,
		prompt_tokens: one.prompt_tokens + other.prompt_tokens,
		completion_tokens: one.completion_tokens + other.completion_tokens,
	};
}
