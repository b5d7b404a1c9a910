import type { CallbackEvent } from './callback';
import { readExecution, readResult, type Execution } from './execution';
import { asText, defined, firstId, firstText, isRecord, own } from './json';
import { readTokenUsage } from './tokenUsage';

/**
 * What a callback says about an execution's end, or about a question to a person.
 *
 * @returns `undefined` for callbacks that do not end a wait: tasks, steps, other events of the stream
 */
export function readNews(event: CallbackEvent): Execution | undefined {
	switch (event.event) {
		case 'crew':
			return readCrewEnd(event);
		case 'human_input':
			return defined({
				status: 'pending_human_input' as const,
				task_id: firstText(event, 'task_id'),
				task_output: asText(event.task_output),
			});
		case 'stream':
			return readStreamEnd(event);
		default:
			return undefined;
	}
}

/** Some deployments report a failure in this callback; most do not call at all then. */
function readCrewEnd(event: CallbackEvent): Execution {
	const said = readExecution(event);
	if (said.status === 'failed' || said.status === 'stopped') return said;
	return { status: 'completed', ...readResult(event), ...readTokenUsage(event) };
}

function readStreamEnd({ type, data }: CallbackEvent): Execution | undefined {
	if (type === 'crew_kickoff_completed') {
		return { status: 'completed', ...(isRecord(data) ? readResult(data) : {}) };
	}
	if (type !== 'crew_kickoff_failed') return undefined;
	const error = own(data, 'error');
	return defined({
		status: 'failed' as const,
		error: firstText(error, 'message') ?? asText(error) ?? firstText(data, 'message', 'detail'),
	});
}

/** The fields of an execution's result. */
const CONTENT = ['output', 'output_json', 'error', 'task_id', 'task_output'];

/**
 * The status endpoint's answer. A callback about the same end only fills in what is missing: it never
 * overrides the crew, since anyone may have sent it.
 */
export function mergeNews(asked: Execution, news: Execution): Execution {
	const { status, ...rest } = asked;
	if (status !== news.status) return asked;
	if (news.task_id !== undefined && guessesTask(asked)) return { ...asked, ...news };
	const isTold = ['output', 'output_json', 'error', 'task_output'].some((name) => name in asked);
	const lacking = Object.entries(news).filter(([name]) => !(name in asked));
	const content = isTold ? [] : lacking.filter(([name]) => CONTENT.includes(name));
	const beside = lacking.filter(([name]) => !CONTENT.includes(name));
	// The result comes first: n8n's tables are wide.
	return { status, ...Object.fromEntries(content), ...rest, ...Object.fromEntries(beside) };
}

/** Whether a status may name the last running task instead of the one that a person is asked about. */
function guessesTask({ task_id, progress }: Execution): boolean {
	const last = own(progress, 'last_executed_task');
	return task_id === undefined || task_id === firstId(last, 'task_id', 'id');
}
