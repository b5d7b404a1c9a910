import type { Aspects } from './aspects';
import { NOT_FOUND, PAUSE_WORDS, type StatusBodyKind } from './statusBody';

/** JSON Schemas of the deployment's answers, for its OpenAPI document. */

type Schema = Record<string, unknown>;

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const seconds = { type: 'number', description: 'Seconds' } as const;

/** An object with exactly these fields, all of them unless named as optional. */
function exactly(properties: Record<string, Schema>, optional: string[] = []): Schema {
	const required = Object.keys(properties).filter((name) => !optional.includes(name));
	return { type: 'object', properties, required, additionalProperties: false };
}

export function inputsAnswer({ inputsShape, inputsWrapper }: Aspects): Schema {
	const told = { description: text, default: {}, examples: { type: 'array' } };
	const input = exactly(
		{ name: text, type: text, required: { type: 'boolean' }, ...told },
		Object.keys(told),
	);
	const shaped: Schema = {
		names: { type: 'array', items: text },
		types: { type: 'object', additionalProperties: text },
		objects: { type: 'array', items: input },
	}[inputsShape];
	return inputsWrapper === 'inputs' ? exactly({ inputs: shaped }) : shaped;
}

export function kickoffAnswer({ kickoffIdField }: Aspects): Schema {
	return exactly({ [kickoffIdField]: { type: 'string', format: 'uuid' } });
}

export function statusAnswer(kind: StatusBodyKind, pauseWord = PAUSE_WORDS[kind]): Schema {
	if (kind === 'state') return queueStatus;
	if (kind === 'platform') return platformStatus(pauseWord);
	return { oneOf: documentedStatuses(pauseWord, kind === 'both' ? { state: queueWord } : {}) };
}

const task = exactly({ task_id: text, output: text, agent: text, execution_time: seconds });
const count = { type: 'integer', minimum: 0 } as const;

const queueWord = {
	type: 'string',
	enum: ['PENDING', 'STARTED', 'RUNNING', 'SUCCESS', 'FAILED', 'REVOKED'],
} as const;

function documentedStatuses(pauseWord: string, extra: Record<string, Schema>): Schema[] {
	const word = (status: string) => ({ status: { type: 'string', const: status }, ...extra });
	const progress = exactly({ completed_tasks: count, total_tasks: count });
	const result = exactly({ output: text, tasks: { type: 'array', items: task } });
	return [
		exactly({ ...word('running'), current_task: textOrNull, progress }),
		exactly({
			...word(pauseWord),
			current_task: textOrNull,
			progress,
			task_id: textOrNull,
			question_id: textOrNull,
			task_output: text,
		}),
		exactly({ ...word('completed'), result, execution_time: seconds }),
		exactly({ ...word('error'), error: text, execution_time: seconds }),
		exactly({ ...word('stopped'), execution_time: seconds }),
	];
}

const step = exactly({ prompt: text, thought: text, tool: text, tool_input: text, result: text }, [
	'tool',
	'tool_input',
]);
const structured = { type: ['object', 'array', 'null'] } as const;

const orNull = (schema: Schema): Schema => ({ oneOf: [{ type: 'null' }, schema] });
const time = { type: 'string', format: 'date-time' } as const;
const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const;

const queueFacts = {
	result: textOrNull,
	result_json: structured,
	usage_metrics: exactly({ total_tokens: count, prompt_tokens: count, completion_tokens: count }),
	progress: exactly({
		unit: { type: 'string', enum: ['task', 'step'] },
		completed: count,
		total: countOrNull,
		remaining: countOrNull,
		current: textOrNull,
		current_agent: textOrNull,
		started_at: time,
		updated_at: time,
		duration_seconds: seconds,
	}),
	last_step: orNull(step),
};

const executedTask = {
	task_id: text,
	name: text,
	description: text,
	expected_output: text,
	summary: text,
	agent: text,
	output: text,
	output_json: structured,
};

const queueStatus = exactly({
	state: queueWord,
	status: textOrNull,
	question_id: textOrNull,
	error: textOrNull,
	...queueFacts,
	last_executed_task: orNull(exactly(executedTask)),
});

function platformStatus(pauseWord: string): Schema {
	const meta = { type: ['object', 'null'] };
	const word = (one: string) => ({ type: 'string', const: one });
	return {
		oneOf: [
			exactly({ state: word(NOT_FOUND.state), status: word(NOT_FOUND.status) }),
			exactly({
				state: { type: 'string', enum: [...new Set([...queueWord.enum, pauseWord])] },
				status: textOrNull,
				...queueFacts,
				last_executed_task: orNull(exactly({ ...executedTask, meta })),
				last_event: orNull(exactly({ id: text, execution_id: text, timestamp: time, type: text })),
				events_count: count,
				execution_origin: { type: 'string', enum: ['api', 'hitl-resume'] },
			}),
		],
	};
}

export function resumeAnswer({ resume }: Aspects): Schema {
	if (resume === 'new-id') return exactly({ kickoff_id: { type: 'string', format: 'uuid' } });
	return exactly({
		status: { type: 'string', enum: ['resumed', 'retrying', 'completed'] },
		message: text,
	});
}

export const stopAnswer = exactly({
	status: { type: 'string', const: 'stopped' },
	kickoffId: { type: 'string', format: 'uuid' },
});

export const deleteAnswer = exactly({
	status: { type: 'string', const: 'deleted' },
	kickoffId: { type: 'string', format: 'uuid' },
});

/** The vendor documents this body for all deployments. */
const refusedStop = exactly({ detail: text });

const frameworkRefusal = exactly({
	detail: {
		oneOf: [
			text,
			{
				type: 'array',
				items: exactly({ loc: { type: 'array', items: text }, msg: text, type: text }),
			},
		],
	},
});

const refusals: Record<Aspects['errorBody'], Schema> = {
	documented: exactly(
		{
			error: text,
			message: text,
			details: exactly(
				{
					missing_inputs: { type: 'array', items: text },
					missing_fields: { type: 'array', items: text },
					invalid_fields: { type: 'array', items: exactly({ field: text, message: text }) },
				},
				['missing_inputs', 'missing_fields', 'invalid_fields'],
			),
		},
		['details'],
	),
	framework: frameworkRefusal,
	platform: frameworkRefusal,
};

/** The platform answers a body that is not JSON with plain text, as if it were its own fault. */
const faultOrNoJson = {
	content: { 'application/json': { schema: frameworkRefusal }, 'text/plain': { schema: text } },
};

const MEANINGS: Record<number, string> = {
	400: 'Invalid input format',
	401: 'Invalid bearer token',
	403: 'Not for this token, or not for a page at another address',
	404: 'There is no such execution, task or state',
	409: 'The execution has not ended',
	413: 'The body is too large',
	422: 'Required inputs are missing',
	429: 'Too many requests; Retry-After says how many seconds to wait',
	500: 'The deployment failed',
	503: 'The server cannot store or run anything now, or too many executions are waiting; Retry-After says how many seconds to wait',
};

/** All answers of an endpoint, by status: the one for success, and the refusals. */
export function answers(
	success: number,
	schema: Schema,
	{ errorBody }: Aspects,
	others: Record<number, Schema> = errorBody === 'platform' ? { 500: faultOrNoJson } : {},
): Record<number, Schema> {
	const refused = Object.entries(MEANINGS).map(([status, description]) => [
		status,
		{ description, ...(others[Number(status)] ?? refusals[errorBody]) },
	]);
	return {
		...(Object.fromEntries(refused) as Record<number, Schema>),
		[success]: { description: 'Success', ...schema },
	};
}

/** The answers to a refused stop, and to a stop of something that is not an identifier. */
export function stopRefusals({ errorBody }: Aspects): Record<number, Schema> {
	return { 400: { anyOf: [refusedStop, refusals[errorBody]] } };
}
