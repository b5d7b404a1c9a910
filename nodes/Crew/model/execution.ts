import { statusOfWord, statusOfWords, type ExecutionStatus } from './executionStatus';
import {
	asText,
	defined,
	firstId,
	firstText,
	isRecord,
	own,
	structured,
	type JsonRecord,
} from './json';
import { readTokenUsage, type TokenUsage } from './tokenUsage';

/** An execution of a crew in our words; what the crew does not report is absent. */
export interface Execution {
	status: ExecutionStatus;
	/** The final text. */
	output?: string;
	/** The final result if it is a JSON object or array. */
	output_json?: JsonRecord | unknown[];
	/** The task whose output a person is asked about. */
	task_id?: string;
	task_output?: string;
	/** `{task_id, output, agent, execution_time}` each, as the crew sends them. */
	tasks?: unknown[];
	/** `{completed_tasks, total_tasks, current_task}`, `{unit, completed, total, ...}` or `{last_step, last_executed_task}`. */
	progress?: JsonRecord;
	/** What the crew says about its end, if it has not completed. */
	error?: string;
	/** Seconds. */
	execution_time?: number;
	token_usage?: TokenUsage;
}

/** What an item says if the crew does not know its execution. The vendor's platform also answers this way while it asks a person. */
export const NOT_FOUND_MEANS = {
	error:
		'The crew does not know this execution. Some deployments also answer this way while the execution waits for a person: then only the human input callback shows it',
};

/**
 * Reads an answer of the status endpoint in either dialect, or a mixture of them.
 *
 * @returns the execution; its status is `unknown` if no word of the answer is known
 */
export function readExecution(body: unknown): Execution {
	const record = isRecord(body) ? body : {};
	// If both report an end, `state` is the more reliable one.
	const status = statusOfWords(own(record, 'state'), own(record, 'status'));
	return defined({
		status,
		...(status === 'failed' || status === 'stopped' ? { error: readError(record) } : {}),
		...(status === 'completed' ? readResult(record) : {}),
		...(status === 'pending_human_input' ? readQuestion(record) : {}),
		tasks: readTasks(record),
		progress: readProgress(record),
		execution_time: readSeconds(own(record, 'execution_time')),
		...readTokenUsage(record),
	});
}

/**
 * The final text and JSON of `{result, result_json}`, as the status endpoint and the crew callback
 * send them: the text itself, JSON as text, or an object that holds the text as `output` or `raw`.
 */
export function readResult(record: JsonRecord): Pick<Execution, 'output' | 'output_json'> {
	const result = own(record, 'result') ?? own(record, 'output') ?? own(record, 'raw');
	const whole = structured(result);
	const isWrapper =
		isRecord(result) || WRAPPER_NAMES.some((name) => (own(whole, name) ?? null) !== null);
	const output = (isWrapper ? (own(whole, 'output') ?? own(whole, 'raw')) : undefined) ?? result;
	return defined({
		output: asText(output),
		output_json:
			structured(own(record, 'result_json')) ??
			structured(own(whole, 'json_dict')) ??
			structured(own(record, 'json_dict')) ??
			structured(output),
	});
}

/** Fields next to the text in a result that is JSON, if it is more than the text. */
const WRAPPER_NAMES = ['tasks', 'tasks_output', 'json_dict', 'token_usage', 'usage_metrics'];

/** The text of one task's output, which may be an object with the text as `raw`. */
export function readTaskOutput(output: unknown): string | undefined {
	return firstText(output, 'raw') ?? asText(output);
}

function readTasks(record: JsonRecord): unknown[] | undefined {
	const places = [structured(own(record, 'result')), record];
	return places
		.flatMap((place) => [own(place, 'tasks'), own(place, 'tasks_output')])
		.find((tasks) => Array.isArray(tasks));
}

function readProgress(record: JsonRecord): JsonRecord | undefined {
	const counts = own(record, 'progress');
	const progress = defined({
		...(isRecord(counts) ? counts : {}),
		current_task: own(record, 'current_task') ?? undefined,
		last_step: own(record, 'last_step') ?? undefined,
		last_executed_task: own(record, 'last_executed_task') ?? undefined,
	});
	return Object.keys(progress).length > 0 ? progress : undefined;
}

function readError(record: JsonRecord): string | undefined {
	const status = firstText(record, 'status');
	const word = statusOfWord(status);
	return (
		readReason(own(record, 'error')) ??
		(word === undefined ? status : undefined) ??
		readReason(own(record, 'result')) ??
		firstText(record, 'message', 'detail') ??
		// `Timeout`, or `Requires user consent`, says more than that it has failed.
		(word === 'pending_human_input' || /time/i.test(status ?? '') ? status : undefined)
	);
}

function readReason(reason: unknown): string | undefined {
	if (typeof reason === 'string') return reason.trim() === '' ? undefined : reason;
	const says = isRecord(reason) || Array.isArray(reason) ? Object.keys(reason).length > 0 : false;
	return says ? (firstText(reason, 'message', 'detail', 'msg') ?? asText(reason)) : undefined;
}

function readQuestion(record: JsonRecord): Pick<Execution, 'task_id' | 'task_output'> {
	const task = ['pending_task', 'human_input', 'task', 'current_task', 'last_executed_task']
		.map((name) => own(record, name))
		.find(isRecord);
	return defined({
		task_id:
			firstId(record, 'task_id') ??
			firstId(task, 'task_id', 'id') ??
			firstText(record, 'current_task'),
		task_output: readTaskOutput(
			own(record, 'task_output') ??
				own(record, 'output') ??
				own(task, 'task_output') ??
				own(task, 'output'),
		),
	});
}

function readSeconds(value: unknown): number | undefined {
	const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : undefined;
}
