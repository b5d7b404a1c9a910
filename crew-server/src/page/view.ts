import {
	finalOutput,
	hasEnded,
	questionText,
	statusOf,
	type Execution,
	type Question,
	type StreamEvent,
	type Task,
} from '../domain/execution';
import { excessOf, jsonOf } from '../domain/json';
import type { CallbackRecord } from '../store/store';
import type {
	CallbackView,
	EventView,
	ExecutionView,
	QuestionView,
	RequestView,
	ShownText,
	TaskView,
} from './wire';

/** Characters of a text that are shown before someone asks for all of it. */
const SHOWN = 20_000;
/** The same for a text in an event, since there are thousands of events. */
const SHOWN_OF_EVENT = 400;
/** Levels of lists and objects that are shown indented, on separate lines. */
const MOST_LEVELS = 20;

/** A request, as the simulator reports it. */
export interface ShownRequest extends Omit<RequestView, 'body' | 'answer'> {
	body?: unknown;
	answer?: string;
}

export function executionView(execution: Execution, now: number): ExecutionView {
	const { kickoffId, begunAs, restoredFrom, owner, inputs, meta, error, callbacks } = execution;
	const { tokenUsage, events, startedAt, finishedAt, state } = execution;
	return {
		kickoffId,
		begunAs,
		restoredFrom,
		owner,
		status: statusOf(execution),
		isQueued: state === 'queued',
		inputs: shown(asJson(inputs)),
		meta: meta && shown(asJson(meta)),
		error: error === undefined ? undefined : shown(error),
		result: hasEnded(execution) ? resultOf(execution) : undefined,
		callbacks,
		tasks: execution.tasks.map(taskView),
		questions: execution.questions.map(questionView),
		tokenUsage,
		events,
		startedAt,
		finishedAt,
		now,
	};
}

/** The crew's result; `undefined` if there is none. */
function resultOf(execution: Execution): ShownText | undefined {
	return execution.state === 'completed' ? shown(finalOutput(execution)) : undefined;
}

function taskView(task: Task): TaskView {
	const { taskId, agent, attempts, startedAt, finishedAt, state, description, output } = task;
	return {
		taskId,
		agent,
		attempts,
		startedAt,
		finishedAt,
		state,
		description: shown(description).text,
		output: output === undefined ? undefined : shown(output),
		isJson: task.outputJson !== undefined && task.outputJson !== null,
	};
}

function questionView({ output, ...question }: Question): QuestionView {
	const { id, taskId, isAboutInterruption, reason, answer } = question;
	return { id, taskId, isAboutInterruption, output: shown(output), reason, answer };
}

/** The whole text that {@link executionView} may have cut; `undefined` if there is none with that name. */
export function wholeText(execution: Execution, name: string): string | undefined {
	const [kind = '', ...rest] = name.split(':');
	const id = rest.join(':');
	switch (kind) {
		case 'inputs':
			return asJson(execution.inputs);
		case 'meta':
			return execution.meta && asJson(execution.meta);
		case 'error':
			return execution.error;
		case 'result':
			return finalOutput(execution);
		case 'output':
			return execution.tasks.find(({ taskId }) => taskId === id)?.output;
		case 'json':
			return jsonText(execution.tasks.find(({ taskId }) => taskId === id));
		case 'question': {
			const question = execution.questions.find((one) => String(one.id) === id);
			return question && questionText(question);
		}
		default:
			return undefined;
	}
}

function jsonText(task: Task | undefined): string | undefined {
	const json = task && jsonOf(task);
	return typeof json !== 'object' || json === null ? undefined : asJson(json);
}

export function eventView({ id, timestamp, type, data }: StreamEvent): EventView {
	const { emission_sequence, ...told } = data;
	const fields = Object.entries(told).map(([name, value]) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		const isCut = text.length > SHOWN_OF_EVENT;
		return { name, isCut, value: isCut ? `${text.slice(0, SHOWN_OF_EVENT)} …` : value };
	});
	return {
		number: Number(emission_sequence ?? id.slice(id.lastIndexOf('-') + 1)),
		at: Date.parse(timestamp),
		type,
		data: Object.fromEntries(fields.map(({ name, value }) => [name, value])),
		...(fields.some(({ isCut }) => isCut) ? { isCut: true } : {}),
	};
}

export function callbackView({
	id,
	kind,
	url,
	fate,
	attempts,
	body,
}: CallbackRecord): CallbackView {
	const keys = Object.keys(body);
	return {
		id,
		kind,
		url,
		fate,
		attempts,
		body: shown(asJson(body)),
		isWhole: keys.length !== 1 || keys[0] !== 'bytes',
	};
}

export function requestView({ body, answer, ...request }: ShownRequest): RequestView {
	return {
		...request,
		body: body === undefined ? undefined : shown(asJson(body)),
		answer: answer === undefined ? undefined : shown(answer),
	};
}

function shown(text: string): ShownText {
	return text.length <= SHOWN ? { text } : { text: text.slice(0, SHOWN), of: text.length };
}

/** Indented only if it is not deep: otherwise, most of the text would be indentation. */
function asJson(value: unknown): string {
	const json = JSON.stringify(value);
	return excessOf(json, Infinity, MOST_LEVELS) === undefined
		? JSON.stringify(value, null, 2)
		: json;
}
