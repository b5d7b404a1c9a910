import type { OnInterrupt } from './crew';
import { jsonOf } from './json';
import type { CallbackTargets } from './targets';

/**
 * Where an execution stands:
 *
 * - `queued`: there is work to do, and nobody does it;
 * - `running`: a worker has claimed it;
 * - `pending_human_input`: nothing can be done until a person answers;
 * - `completed`, `failed`, `stopped`: it has ended, and nothing changes any more.
 *
 * What clients are told is {@link statusOf}: a question may be open while other tasks are worked on.
 */
export type ExecutionState =
	'queued' | 'running' | 'pending_human_input' | 'completed' | 'failed' | 'stopped';

/** `answered`: a person has approved the output, and the engine has not gone on with it yet. */
export type TaskState =
	'waiting' | 'running' | 'pending_human_input' | 'answered' | 'completed' | 'failed';

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

export interface TokenUsage {
	total_tokens: number;
	prompt_tokens: number;
	completion_tokens: number;
}

export interface Output {
	output: string;
	/** The structured output; if there is none, the text may still be JSON. */
	outputJson?: unknown;
}

/** What is known of a task only once it is worked on. */
export interface TaskTexts {
	description?: string;
	expectedOutput?: string;
	/** The agent's role. */
	agent?: string;
}

export interface Task extends Required<TaskTexts>, Partial<Output> {
	/** The task's name in its crew: the API's `task_id`. */
	readonly taskId: string;
	/** What deployments that do not call tasks by their names call it. */
	readonly uuid: string;
	readonly state: TaskState;
	/** How often the task has been begun; more than 1 if a person rejected its output. */
	readonly attempts: number;
	/** How often the task was begun and then interrupted by the end of a process that it does not depend on. */
	readonly interruptions?: number;
	readonly onInterrupt?: OnInterrupt;
	/** What the engine needs to pass over a completed task; only as long as the execution goes on. */
	readonly checkpoint?: unknown;
	/** Milliseconds since 1970. */
	readonly startedAt?: number;
	readonly finishedAt?: number;
}

/** What a person is asked about a task, mostly about its output, with what they answered. */
export interface Question extends Readonly<Output> {
	/** Counts from 1 in its execution. */
	readonly id: number;
	readonly taskId: string;
	/** Whether it asks if a task that was cut off is to run again: `output` says so. Nothing goes on before the answer. */
	readonly isAboutInterruption?: boolean;
	/** What a person is to know beside the output, such as why they are asked again. */
	readonly reason?: string;
	/**
	 * What the engine needs to go on from the question; only as long as the execution goes on.
	 * If it is null, only the process that asks can go on.
	 */
	readonly checkpoint?: unknown;
	/** Whether nothing else could be worked on when it was asked, nor since then. */
	readonly isBlocking?: boolean;
	/** Whether a client has read it. */
	readonly isTold?: boolean;
	readonly answer?: Answer;
}

export interface Answer {
	readonly feedback: string;
	readonly isApprove: boolean;
	/** Milliseconds since 1970. */
	readonly at: number;
}

/** A single run of the crew. */
export interface Execution {
	readonly crewName: string;
	readonly kickoffId: string;
	/** What kickoff answered, if it has gone on under another identifier since a person answered. */
	readonly begunAs?: string;
	readonly owner: Owner;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** The execution with whose state it began, as that was kicked off. */
	readonly restoredFrom?: string;
	/** The span of the caller under which the project's own spans belong, as W3C Trace Context has it. */
	readonly traceparent?: string;
	/** Echoed in every callback; absent if kickoff sent none. */
	readonly meta?: Readonly<Record<string, unknown>>;
	readonly callbacks: CallbackTargets;
	readonly state: ExecutionState;
	readonly tasks: readonly Task[];
	/** All that was asked, the oldest first. */
	readonly questions: readonly Question[];
	readonly lastStep?: Step;
	readonly tokenUsage: Readonly<TokenUsage>;
	/** How many events there have been under this identifier. */
	readonly events: number;
	readonly lastEvent?: Omit<StreamEvent, 'data'>;
	/** The `emission_sequence` of the first event that is held for the stream, which does not send each at once. */
	readonly heldFrom?: number;
	/** How many callbacks there have been. */
	readonly callbackCount: number;
	/** What the engine needs to go on, beside what it keeps with tasks and questions; only as long as the execution goes on. */
	readonly checkpoint?: unknown;
	/** Whether a task has written a file, which later ones may read. */
	readonly hasFiles?: boolean;
	/** What the crew came up with, if it is not the last task's output. */
	readonly result?: Output;
	/** Why it failed. */
	readonly error?: string;
	/** What a plugin keeps with it; nothing here looks at it. */
	readonly extension?: unknown;
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	readonly finishedAt?: number;
}

/** An execution as clients are told of it: what it was given is not part of that. */
export type Told = Omit<Execution, 'inputs'>;

/** One entry of the event stream. */
export interface StreamEvent {
	/** The execution's identifier and the event's `emission_sequence`. */
	id: string;
	execution_id: string;
	/** ISO 8601. */
	timestamp: string;
	type: string;
	data: Record<string, unknown>;
}

/** What clients are told of an execution. */
export type Status = Exclude<ExecutionState, 'queued'>;

export function statusOf({
	state,
	questions,
}: Pick<Execution, 'state'> & { questions: ReadonlyArray<{ answer?: unknown }> }): Status {
	if (state !== 'queued' && state !== 'running') return state;
	return questions.some(isOpen) ? 'pending_human_input' : 'running';
}

/** Whether nothing more will come of the execution. */
export function hasEnded({ state }: Pick<Execution, 'state'>): boolean {
	return state === 'completed' || state === 'failed' || state === 'stopped';
}

/** Whether a person still has to answer. */
export function isOpen({ answer }: { answer?: unknown }): boolean {
	return answer === undefined;
}

/** The newest question about a task's output, open or not. */
export function questionAbout({ questions }: Execution, taskId: string): Question | undefined {
	return questions.findLast((one) => one.taskId === taskId && !one.isAboutInterruption);
}

/** Whether a person is first to say if a task that was cut off runs again. */
export function isHeldBack({ questions }: Execution): boolean {
	return questions.some((question) => question.isAboutInterruption && isOpen(question));
}

/** Whether a person has answered about a task, and the engine has not come to the end of that. */
export function isAnswered(execution: Execution, { taskId, state }: Task): boolean {
	if (state === 'completed' || state === 'failed') return false;
	return questionAbout(execution, taskId)?.answer !== undefined;
}

/** Whether nothing can be done until a person answers, so that a process that has ended need not be followed by another. */
export function isWaitingForPerson(execution: Execution): boolean {
	const { tasks, questions } = execution;
	const isBlocked =
		questions.some((question) => question.isBlocking && isOpen(question)) &&
		!tasks.some((task) => task.state === 'running' || isAnswered(execution, task));
	return isBlocked || isHeldBack(execution);
}

/** The question about a task, called by its name or its UUID, that a person still has to answer. */
export function openQuestion(execution: Told, taskId: string): Question | undefined {
	const task = findTask(execution, taskId);
	if (!task || hasEnded(execution)) return undefined;
	return execution.questions.find((one) => one.taskId === task.taskId && isOpen(one));
}

/** Whether a person is asked what no client has read yet. */
export function hasUntold(execution: Told): boolean {
	return !hasEnded(execution) && execution.questions.some((one) => isOpen(one) && !one.isTold);
}

/** Milliseconds in which the very same answer is a repeat though there is another question, unless it names its own. */
const REPEATS = 60_000;

/**
 * The earlier answer that this one repeats word for word, if it is a repeat: it names the same question, or no other
 * question about the task is open, or it comes within {@link REPEATS} (either way, since the clocks of two servers may
 * differ). Approvals all look alike, so once the next question was told, an approval answers that one.
 */
export function repeatedAnswer(
	execution: Execution,
	given: Pick<Answer, 'feedback' | 'isApprove'> & { taskId: string; questionId?: number },
	now: number,
): Answer | undefined {
	const { taskId } = findTask(execution, given.taskId) ?? {};
	const { answer } =
		execution.questions.findLast(
			(one) => one.taskId === taskId && !isOpen(one) && one.id === (given.questionId ?? one.id),
		) ?? {};
	if (answer?.feedback !== given.feedback || answer.isApprove !== given.isApprove) return undefined;
	if (given.questionId !== undefined) return answer;
	const next = openQuestion(execution, given.taskId);
	if (!next) return answer;
	const answersNext = given.isApprove && next.isTold;
	return answersNext || Math.abs(now - answer.at) > REPEATS ? undefined : answer;
}

/** A task by its name or its UUID. */
export function findTask({ tasks }: Told, id: string): Task | undefined {
	return tasks.find(({ taskId, uuid }) => taskId === id || uuid === id);
}

/** What a person is shown. */
export function questionText({ output, reason }: Pick<Question, 'output' | 'reason'>): string {
	return reason === undefined ? output : `${output}\n\n${reason}`;
}

/** Whether nothing more happens to a task. */
export function isSettled(state: TaskState): boolean {
	return state === 'completed' || state === 'failed';
}

/** Whether a task was begun, also if that was interrupted. */
export function hasBegun({ state, interruptions }: Task): boolean {
	return state !== 'waiting' || interruptions !== undefined;
}

/** What each event about a task tells of it. */
export function factsOf({ taskId, agent }: Task): Record<string, unknown> {
	return { task_id: taskId, task_name: taskId, agent_role: agent };
}

/** The task that waits for a person or is worked on, else the next one; absent once all are done. */
export function currentTask<T extends Pick<Task, 'state'>>({
	tasks,
}: {
	tasks: readonly T[];
}): T | undefined {
	return (['pending_human_input', 'answered', 'running', 'waiting'] as const)
		.map((wanted) => tasks.find(({ state }) => state === wanted))
		.find((task) => task !== undefined);
}

/** The task that was finished last, or whose output waits for a person. */
export function lastExecutedTask({ tasks }: Told): Task | undefined {
	return tasks.findLast(({ state }) =>
		['completed', 'pending_human_input', 'answered'].includes(state),
	);
}

/** The final text: the crew's own, else the last task's output. */
export function finalOutput({ result, tasks }: Told): string {
	return (result ?? tasks.at(-1))?.output ?? '';
}

/** The final text as an object or a list, else `null`. */
export function finalOutputAsJson({ result, tasks }: Told): unknown {
	return jsonOf(result ?? tasks.at(-1) ?? {});
}
