import { statusOfWord, type ExecutionStatus } from './executionStatus';
import { asText, defined, firstText, isRecord, own, structured, type JsonRecord } from './json';

/** An execution of a crew in our words; what the crew does not tell is absent. */
export interface Execution {
	status: ExecutionStatus;
	/** The final text. */
	output?: string;
	/** The final result where it is a JSON object or array. */
	output_json?: JsonRecord | unknown[];
	/** The task whose output a person is asked about. */
	task_id?: string;
	task_output?: string;
	/** `{task_id, output, agent, execution_time}` each, as the crew sends them. */
	tasks?: unknown[];
	/** `{completed_tasks, total_tasks, current_task}` or `{last_step, last_executed_task}`. */
	progress?: JsonRecord;
	/** What the crew says of its end, where it has not completed. */
	error?: string;
	/** Seconds. */
	execution_time?: number;
}

/**
 * Reads an answer of the status endpoint in either dialect, or a mixture of them.
 *
 * @returns the execution; its status is `unknown` where no word of the answer is known
 */
export function readExecution(body: unknown): Execution {
	const record = isRecord(body) ? body : {};
	// Where both are sent and disagree, `state` is the machine's word.
	const status =
		statusOfWord(own(record, 'state')) ?? statusOfWord(own(record, 'status')) ?? 'unknown';
	return defined({
		status,
		...(status === 'failed' || status === 'stopped' ? { error: readError(record) } : {}),
		...(status === 'completed' ? readResult(record) : {}),
		...(status === 'pending_human_input' ? readQuestion(record) : {}),
		tasks: readTasks(record),
		progress: readProgress(record),
		execution_time: readSeconds(own(record, 'execution_time')),
	});
}

/**
 * The final text and JSON of `{result, result_json}`, as the status endpoint and the crew callback
 * send them: the text itself, JSON as text, or an object that holds the text as `output` or `raw`.
 */
export function readResult(record: JsonRecord): Pick<Execution, 'output' | 'output_json'> {
	const result = own(record, 'result') ?? own(record, 'output');
	const whole = structured(result);
	const inner = own(whole, 'output') ?? own(whole, 'raw');
	const holdsText = isRecord(result) || Array.isArray(own(whole, 'tasks'));
	const output = holdsText && inner !== undefined && inner !== null ? inner : result;
	return defined({
		output: asText(output),
		output_json:
			structured(own(record, 'result_json')) ??
			structured(own(whole, 'json_dict')) ??
			structured(output),
	});
}

function readTasks(record: JsonRecord): unknown[] | undefined {
	const result = structured(own(record, 'result'));
	const tasks = own(result, 'tasks') ?? own(result, 'tasks_output') ?? own(record, 'tasks');
	return Array.isArray(tasks) ? tasks : undefined;
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
	const error = own(record, 'error');
	const text = firstText(error, 'message', 'detail') ?? asText(error);
	if (text) return text;
	const status = own(record, 'status');
	if (typeof status === 'string' && statusOfWord(status) === undefined) return status;
	return asText(own(record, 'result')) ?? firstText(record, 'message', 'detail');
}

function readQuestion(record: JsonRecord): Pick<Execution, 'task_id' | 'task_output'> {
	const task = ['pending_task', 'human_input', 'task', 'current_task', 'last_executed_task']
		.map((name) => own(record, name))
		.find(isRecord);
	const current = own(record, 'current_task');
	return defined({
		task_id:
			firstText(record, 'task_id') ??
			firstText(task, 'task_id', 'id') ??
			(typeof current === 'string' ? current : undefined),
		task_output: asText(
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
