import type { OnInterrupt } from './crew';
import { jsonOf } from './json';
import type { CallbackTargets } from './targets';

/**
 * The state of an execution:
 *
 * - `queued`: there is work to do, and nobody is doing it;
 * - `running`: a worker has claimed it;
 * - `pending_human_input`: nothing can be done until a person answers;
 * - `completed`, `failed`, `stopped`: it has ended, and nothing changes anymore.
 *
 * Clients see {@link statusOf}: a question may be open while other tasks are running.
 */
export type ExecutionState =
	'queued' | 'running' | 'pending_human_input' | 'completed' | 'failed' | 'stopped';

/** `answered`: a person has approved the output, and the engine has not continued yet. */
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

/** What is known of a task only once it runs. */
export interface TaskTexts {
	description?: string;
	expectedOutput?: string;
	/** The agent's role. */
	agent?: string;
}

export interface Task extends Required<TaskTexts>, Partial<Output> {
	/** The task's name in its crew: the API's `task_id`. */
	readonly taskId: string;
	/** Its identifier in deployments that do not use the names of tasks. */
	readonly uuid: string;
	readonly state: TaskState;
	/** How often the task has begun; more than once if a person rejected its output. */
	readonly attempts: number;
	/** How often the task had begun and was interrupted, because a process ended for reasons of its own. */
	readonly interruptions?: number;
	readonly onInterrupt?: OnInterrupt;
	/** What the engine needs to skip the completed task; only until the execution ends. */
	readonly checkpoint?: unknown;
	/** Milliseconds since 1970. */
	readonly startedAt?: number;
	readonly finishedAt?: number;
}

/** A question to a person about a task, usually about its output, with the answer. */
export interface Question extends Readonly<Output> {
	/** Counts from 1 in its execution. */
	readonly id: number;
	readonly taskId: string;
	/** Whether it asks if a task that was cut off should run again, as `output` says. Nothing runs before the answer. */
	readonly isAboutInterruption?: boolean;
	/** What a person should know besides the output, such as why they are asked again. */
	readonly reason?: string;
	/**
	 * What the engine needs to continue from the question; only until the execution ends.
	 * If it is null, only the process that asks can continue.
	 */
	readonly checkpoint?: unknown;
	/** Whether nothing else could run when it was asked, nor since then. */
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
	/** The identifier that kickoff returned, if an answer has changed it since. */
	readonly begunAs?: string;
	readonly owner: Owner;
	readonly inputs: Readonly<Record<string, unknown>>;
	/** The execution whose state it started from, by that one's first identifier. */
	readonly restoredFrom?: string;
	/** The caller's span, as the parent of the project's own spans, in the format of W3C Trace Context. */
	readonly traceparent?: string;
	/** Echoed in every callback; absent if kickoff sent none. */
	readonly meta?: Readonly<Record<string, unknown>>;
	readonly callbacks: CallbackTargets;
	readonly state: ExecutionState;
	readonly tasks: readonly Task[];
	/** All questions, the oldest first. */
	readonly questions: readonly Question[];
	readonly lastStep?: Step;
	readonly tokenUsage: Readonly<TokenUsage>;
	/** How many events there have been under this identifier. */
	readonly events: number;
	readonly lastEvent?: Omit<StreamEvent, 'data'>;
	/** The `emission_sequence` of the first event that is held back, for a stream that does not get each event at once. */
	readonly heldFrom?: number;
	/** How many callbacks there have been. */
	readonly callbackCount: number;
	/** What the engine needs to continue, besides what it keeps with tasks and questions; only until the execution ends. */
	readonly checkpoint?: unknown;
	/** Whether a task has written a file, which later ones may read. */
	readonly hasFiles?: boolean;
	/** The crew's result, if it is not the last task's output. */
	readonly result?: Output;
	/** Why it failed. */
	readonly error?: string;
	/** What a plugin keeps with it; nothing here reads it. */
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

/** The status that clients see. */
export type Status = Exclude<ExecutionState, 'queued'>;

export function statusOf({
	state,
	questions,
}: Pick<Execution, 'state'> & { questions: ReadonlyArray<{ answer?: unknown }> }): Status {
	if (state !== 'queued' && state !== 'running') return state;
	return questions.some(isOpen) ? 'pending_human_input' : 'running';
}

/** Whether the execution has ended. */
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

/** Whether a person must first say if a task that was cut off runs again. */
export function isHeldBack({ questions }: Execution): boolean {
	return questions.some((question) => question.isAboutInterruption && isOpen(question));
}

/** Whether a person has answered about a task, and the engine has not finished acting on it. */
export function isAnswered(execution: Execution, { taskId, state }: Task): boolean {
	if (state === 'completed' || state === 'failed') return false;
	return questionAbout(execution, taskId)?.answer !== undefined;
}

/** Whether nothing can be done until a person answers, so that no new process is needed. */
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

/** Milliseconds in which an identical answer counts as a repeat although there is a new question, unless it names its question. */
const REPEATS = 60_000;

/**
 * The earlier answer that this one repeats word for word, if it is a repeat: it names the same question, or no other
 * question about the task is open, or it comes within {@link REPEATS} (in either direction, since the clocks of two
 * servers may differ). All approvals look alike, so once a client has read the next question, an approval answers that.
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

/** Whether a task has begun, even if it was interrupted. */
export function hasBegun({ state, interruptions }: Task): boolean {
	return state !== 'waiting' || interruptions !== undefined;
}

/** What each event about a task says about it. */
export function factsOf({ taskId, agent }: Task): Record<string, unknown> {
	return { task_id: taskId, task_name: taskId, agent_role: agent };
}

/** The task that waits for a person or is running, else the next one; absent once all are done. */
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
