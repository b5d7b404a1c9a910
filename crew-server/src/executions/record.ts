import { createHash } from 'node:crypto';

import type { CallbackTargets } from '../callbacks/targets';
import type { Fault } from '../faults/fault';

/** Where an execution stands. Only the first two can change. */
export type ExecutionState = 'running' | 'pending_human_input' | 'completed' | 'failed' | 'stopped';

export type TaskState = 'waiting' | 'running' | 'pending_human_input' | 'completed' | 'failed';

/** Which of the two tokens started an execution. */
export type Owner = 'organisation' | 'user';

/** One thought or action of an agent; the final one has no `tool`. */
export interface Step {
	prompt: string;
	thought: string;
	tool?: string;
	tool_input?: string;
	result: string;
}

export interface TaskRecord {
	/** The task's name in its crew: the API's `task_id`. */
	taskId: string;
	description: string;
	expectedOutput: string;
	agent: string;
	state: TaskState;
	/** How often the task has been begun; more than 1 where a person rejected its output. */
	attempts: number;
	output?: string;
	/** The structured output, where the text is not all there is. */
	outputJson?: unknown;
	/**
	 * What the engine needs to go on from this task's question or output; only as long as the execution goes on.
	 * At a question, it is null if only the process that asks can go on.
	 */
	kept?: unknown;
	/** What a person is to know beside the output, such as why they are asked again. */
	reason?: string;
	/** Set from the answer to the newest question until the task is done or asks again. */
	isAnswered?: boolean;
	/** How often the task was begun and then cut off by the end of a process that it does not depend on. */
	cutOff?: number;
	/** Milliseconds since 1970. */
	startedAt?: number;
	finishedAt?: number;
}

/** What a person said about a task's output. */
export interface Feedback {
	taskId: string;
	text: string;
	isApprove: boolean;
	/** The output that the person saw. */
	output: string;
}

export interface TokenUsage {
	total_tokens: number;
	prompt_tokens: number;
	completion_tokens: number;
}

/** A single run of the crew. */
export interface ExecutionRecord {
	kickoffId: string;
	/** What kickoff answered, if it goes on under another identifier since a person has answered. */
	begunAs?: string;
	owner: Owner;
	inputs: Record<string, unknown>;
	/** The execution with whose state it began, as that was kicked off. */
	restoredFrom?: string;
	/** Echoed in every callback; absent where kickoff sent none. */
	meta?: Record<string, unknown>;
	callbacks: CallbackTargets;
	state: ExecutionState;
	tasks: TaskRecord[];
	feedback: Feedback[];
	lastStep?: Step;
	tokenUsage: TokenUsage;
	/** Events that the stream has not sent yet, because it does not send each at once. */
	heldEvents: StreamEvent[];
	/** How many events there have been, sent or not. */
	events: number;
	lastEvent?: Omit<StreamEvent, 'data'>;
	/** Faults that kickoff or resume asked for, for this execution alone. */
	faults: Fault[];
	/** Set as long as the work cannot begin because others are worked on, or the server was closed. */
	waitsInLine?: boolean;
	/** Set as long as other tasks are worked on while a person is asked. */
	worksOn?: boolean;
	/** What the engine needs to go on, beside what it keeps with tasks; only as long as the execution goes on. */
	prepared?: unknown;
	/** What the crew came up with, where it is not the last task's output. */
	result?: { output: string; outputJson?: unknown };
	/** Why it failed. */
	error?: string;
	/** Milliseconds since 1970. */
	startedAt: number;
	finishedAt?: number;
}

/** One entry of the event stream. */
export interface StreamEvent {
	id: string;
	execution_id: string;
	/** ISO 8601. */
	timestamp: string;
	type: string;
	data: Record<string, unknown>;
}

/** Whether nothing more will come of the execution. */
export function hasEnded({ state }: Pick<ExecutionRecord, 'state'>): boolean {
	return state !== 'running' && state !== 'pending_human_input';
}

/** Whether somebody works on it, though a person may be asked. */
export function isWorkedOn({ state, worksOn }: ExecutionRecord): boolean {
	return state === 'running' || (state === 'pending_human_input' && worksOn === true);
}

/** Whether a task was begun, also if that was cut off. */
export function hasBegun({ state, cutOff: cuts }: TaskRecord): boolean {
	return state !== 'waiting' || cuts !== undefined;
}

/** Notes that the work was cut off: what was begun and not done is to be begun again. */
export function cutOff(execution: ExecutionRecord): void {
	for (const task of execution.tasks) {
		if (task.state !== 'running' && task.state !== 'pending_human_input') continue;
		if (isOpen(task)) continue;
		task.cutOff = (task.cutOff ?? 0) + 1;
	}
	takeBegunBack(execution);
}

/** Notes that the work was ended in good order: it waits to be taken up, and that counts as no cut. */
export function putBack(execution: ExecutionRecord): void {
	execution.waitsInLine = true;
	takeBegunBack(execution);
}

/** The begin of a task that was not done is no try of its own. */
function takeBegunBack({ tasks }: ExecutionRecord): void {
	for (const task of tasks) {
		if (task.state !== 'running') continue;
		task.state = 'waiting';
		task.attempts -= 1;
	}
}

/** Whether a person still has to answer the question that a task has asked. */
export function isOpen({ state, isAnswered }: TaskRecord): boolean {
	return state === 'pending_human_input' && isAnswered !== true;
}

/** What a person is shown of a task that asks. */
export function questionText({ output = '', reason }: TaskRecord): string {
	return reason === undefined ? output : `${output}\n\n${reason}`;
}

/** What each event about a task tells of it. */
export function factsOf({ taskId, agent }: TaskRecord): Record<string, unknown> {
	return { task_id: taskId, task_name: taskId, agent_role: agent };
}

/** What some deployments call a task by in the place of its name; it stays the same as long as the execution goes on. */
export function taskUuid(
	{ kickoffId, begunAs = kickoffId }: ExecutionRecord,
	{ taskId }: TaskRecord,
): string {
	const digits = createHash('sha256').update(`${begunAs} ${taskId}`).digest('hex');
	return digits.replace(/^(.{8})(.{4})(.{3})(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}

/** Lets go of what is kept only to go on. */
export function forgetWork(execution: ExecutionRecord): void {
	delete execution.prepared;
	for (const task of execution.tasks) delete task.kept;
}

/** The task that waits for a person or is worked on, else the next one; absent once all are done. */
export function currentTask(execution: ExecutionRecord): TaskRecord | undefined {
	const asking = execution.state === 'pending_human_input' && execution.tasks.find(isOpen);
	if (asking) return asking;
	return (['pending_human_input', 'running', 'waiting'] as const)
		.map((wanted) => execution.tasks.find(({ state }) => state === wanted))
		.find((task) => task !== undefined);
}

/** The task that was finished last, or whose output waits for a person. */
export function lastExecutedTask(execution: ExecutionRecord): TaskRecord | undefined {
	return execution.tasks.findLast(
		({ state }) => state === 'completed' || state === 'pending_human_input',
	);
}

/** The final text: the crew's own, else the last task's output. */
export function finalOutput({ result, tasks }: ExecutionRecord): string {
	return (result ?? tasks.at(-1))?.output ?? '';
}

/** The final text as an object or a list, else `null`. */
export function finalOutputAsJson({ result, tasks }: ExecutionRecord): unknown {
	return jsonOf(result ?? tasks.at(-1) ?? {});
}

/** An output as an object or a list, else `null`. */
export function jsonOf({
	output = '',
	outputJson,
}: Pick<TaskRecord, 'output' | 'outputJson'>): unknown {
	return outputJson ?? outputAsJson(output);
}

/** The object or list that an output is the JSON of, else `null`. */
function outputAsJson(output: string): unknown {
	if (!/^\s*[[{]/.test(output)) return null;
	try {
		return JSON.parse(output) as unknown;
	} catch {
		return null;
	}
}

/** Seconds between begin and end; up to now for what has not ended. */
export function secondsTaken({
	startedAt,
	finishedAt,
}: Pick<TaskRecord, 'startedAt' | 'finishedAt'>): number {
	// The clock may have been set back meanwhile.
	return startedAt === undefined ? 0 : Math.max(0, (finishedAt ?? Date.now()) - startedAt) / 1000;
}
