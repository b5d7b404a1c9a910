import type { CallbackEvent } from './callback';
import { readExecution, readResult, type Execution } from './execution';
import { isSettled } from './executionStatus';
import { asText, defined, firstText, isRecord, own } from './json';

/**
 * What a callback tells of an execution's end, or of a question to a person.
 *
 * @returns `undefined` for callbacks that end no wait: tasks, steps, other events of the stream
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

/** Some deployments say in this callback that the crew has failed; most do not call then at all. */
function readCrewEnd(event: CallbackEvent): Execution {
	const said = readExecution(event);
	if (said.status === 'failed' || said.status === 'stopped') return said;
	return { status: 'completed', ...readResult(event) };
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

/**
 * The status endpoint's answer, with what only the callback told; the callback's own content where
 * that answer is missing, has not settled yet or has forgotten the execution already.
 */
export function mergeNews(asked: Execution | undefined, news: Execution): Execution {
	if (!asked || !isSettled(asked.status) || asked.status === 'not_found') return news;
	return asked.status === news.status ? { ...news, ...asked } : asked;
}
