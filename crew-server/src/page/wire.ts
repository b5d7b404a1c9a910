import type { CrewDescription } from '../domain/crew';
import type { Answer, Owner, Status, Task, TokenUsage } from '../domain/execution';
import type { CallbackKind, CallbackTargets } from '../domain/targets';
import type { CallbackAttempt, CallbackRecord, Summary } from '../store/store';

/** The answers of the page's routes, for both sides. Times are milliseconds since 1970. */

/** `GET /page/crew` */
export interface CrewView extends Pick<
	CrewDescription,
	'name' | 'description' | 'kind' | 'warnings'
> {
	tasks: Array<Pick<CrewDescription['tasks'][number], 'name' | 'agent' | 'humanInput'>>;
	version: string;
	/** Whether the list of requests is there. */
	hasRequests: boolean;
	/** The owner of the token. */
	owner: Owner;
	/** The server's clock. */
	now: number;
}

/** `GET /page/executions` */
export interface ExecutionsView {
	found: Summary[];
	next?: number;
	now: number;
}

/** A text, or the beginning of it with its length. */
export interface ShownText {
	text: string;
	/** How many characters the whole text has, if this is only the beginning. */
	of?: number;
}

export interface TaskView extends Pick<
	Task,
	'taskId' | 'agent' | 'attempts' | 'startedAt' | 'finishedAt'
> {
	state: Task['state'];
	description: string;
	output?: ShownText;
	/** Whether the output has a structured form. */
	isJson: boolean;
}

export interface QuestionView {
	id: number;
	taskId: string;
	/** Whether it asks if a task that was cut off should run again. */
	isAboutInterruption?: boolean;
	output: ShownText;
	reason?: string;
	answer?: Answer;
}

/** `GET /page/execution` */
export interface ExecutionView {
	kickoffId: string;
	begunAs?: string;
	restoredFrom?: string;
	owner: Owner;
	status: Status;
	isQueued: boolean;
	inputs: ShownText;
	meta?: ShownText;
	error?: ShownText;
	result?: ShownText;
	callbacks: CallbackTargets;
	tasks: TaskView[];
	questions: QuestionView[];
	tokenUsage: TokenUsage;
	events: number;
	startedAt: number;
	finishedAt?: number;
	now: number;
}

/** An event, with long texts cut. */
export interface EventView {
	number: number;
	at: number;
	type: string;
	data: Record<string, unknown>;
	/** Whether a text was cut: `GET /page/event` has all of it. */
	isCut?: true;
}

/** `GET /page/events` */
export interface EventsView {
	events: EventView[];
	/** Whether there already are more. */
	hasMore: boolean;
}

export interface CallbackView extends Pick<CallbackRecord, 'id' | 'url' | 'fate'> {
	kind: CallbackKind;
	attempts: CallbackAttempt[];
	body: ShownText;
	/** Whether the whole body is still stored, so that it can be sent again. */
	isWhole: boolean;
}

/** A line of the log. */
export interface LineView {
	at: number;
	level: string;
	text: string;
}

/** A request that was received, and how it was answered. */
export interface RequestView {
	id: number;
	at: number;
	method: string;
	path: string;
	/** Absent if it has no answer. */
	status?: number;
	isOpen: boolean;
	body?: ShownText;
	answer?: ShownText;
}
