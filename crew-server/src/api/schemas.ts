import type { CrewDescription, CrewInput } from '../domain/crew';

/** JSON Schemas of what clients send; Fastify checks every request against them. */

const uuid = { type: 'string', format: 'uuid' } as const;

/** The most characters that web servers accept in an address and in a header. */
const LONGEST_ADDRESS = 8_000;
/** Types of events: ten times as many as there are. Each event is compared with all that a client names. */
const MOST_TYPES = 1_000;
const LONGEST_TYPE = 200;

const webAddress = {
	type: 'string',
	format: 'uri',
	pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
	maxLength: LONGEST_ADDRESS,
	description: 'An http or https URL',
} as const;

/** A field that may be absent can also be `null`, which means the same. */
function optional<Type extends string>({ type, ...rest }: { type: Type; [more: string]: unknown }) {
	return { type: [type, 'null'] as const, ...rest };
}

const authentication = optional({
	type: 'object',
	required: ['strategy'],
	properties: {
		strategy: { type: 'string', enum: ['bearer', 'basic'] },
		token: optional({ type: 'string', minLength: 1, maxLength: LONGEST_ADDRESS }),
		username: optional({ type: 'string' }),
		password: optional({ type: 'string' }),
	},
	allOf: [
		{
			if: { properties: { strategy: { const: 'bearer' } } },
			then: { required: ['token'] },
		},
		{
			if: { properties: { strategy: { const: 'basic' } } },
			then: { required: ['username', 'password'] },
		},
	],
});

const callbackTargets = {
	taskWebhookUrl: optional({ ...webAddress, description: 'Called after each task' }),
	stepWebhookUrl: optional({
		...webAddress,
		description: "Called after each agent's thought or action",
	}),
	crewWebhookUrl: optional({ ...webAddress, description: 'Called when the crew has completed' }),
	humanInputWebhook: optional({
		type: 'object',
		description: 'Called when a person is asked about the output of a task',
		required: ['url'],
		properties: { url: webAddress, authentication },
	}),
	humanInputWebhookUrl: optional({
		...webAddress,
		description: 'The same, without authentication, unless `humanInputWebhook` is there',
	}),
	webhooks: optional({
		type: 'object',
		description: 'Called with events of the types that are named',
		required: ['url', 'events'],
		properties: {
			url: webAddress,
			events: {
				type: 'array',
				maxItems: MOST_TYPES,
				items: { type: 'string', maxLength: LONGEST_TYPE },
			},
			realtime: optional({
				type: 'boolean',
				description: 'Whether each event is sent at once, in a request of its own',
			}),
			authentication,
		},
	}),
};

/** The body of `POST /kickoff` for a crew. */
export function kickoffSchema({ inputs, persists }: CrewDescription): Record<string, unknown> {
	const required = inputs.filter((input) => input.required).map(({ name }) => name);
	if (required.length === 0 || !persists) return kickoffBody(inputs, required);
	// A restored state already has the required values.
	return {
		...kickoffBody(inputs, []),
		if: { required: ['restoreFromStateId'] },
		else: { properties: { inputs: { type: 'object', required } } },
	};
}

function kickoffBody(inputs: readonly CrewInput[], required: string[]): Record<string, unknown> {
	const given = {
		type: 'object',
		required,
		properties: Object.fromEntries(inputs.map((input) => [input.name, inputSchema(input)])),
	};
	return {
		type: 'object',
		...(required.length > 0 ? { required: ['inputs'] } : {}),
		properties: {
			inputs: required.length > 0 ? given : optional(given),
			crewai_trigger_payload: {
				description:
					'What a trigger passes on; becomes an input of this name, unless `inputs` has one',
			},
			restoreFromStateId: optional({
				type: 'string',
				description:
					'The kickoff_id whose state a flow with @persist starts from, with `inputs` on top',
			}),
			meta: optional({ type: 'object', description: 'Echoed in every callback' }),
			...callbackTargets,
		},
	};
}

function inputSchema(input: CrewInput): Record<string, unknown> {
	const { type, required, description, takesAnyValue } = input;
	return {
		...(takesAnyValue ? {} : { type: required ? type : [type, 'null'] }),
		...(description ? { description } : {}),
	};
}

/** The body of `POST /resume`. */
export const resumeSchema = {
	type: 'object',
	required: ['execution_id', 'task_id', 'human_feedback', 'is_approve'],
	properties: {
		execution_id: { ...uuid, description: 'Identifier of the execution, from kickoff' },
		task_id: {
			type: 'string',
			description: 'Identifier of the task that a person was asked about',
		},
		question_id: optional({
			type: 'string',
			description:
				'The question that is answered, as the status, a callback or an event names it (default: the open one)',
		}),
		human_feedback: { type: 'string', description: 'Added to the context of later tasks' },
		is_approve: {
			type: 'boolean',
			description: 'true accepts the output, false repeats the task with the feedback',
		},
		...callbackTargets,
	},
} as const;

/** The body of `POST /resume` as the vendor's platform accepts it: two of the names only in camelCase. */
export const platformResumeSchema = {
	type: 'object',
	required: ['executionId', 'taskId', 'human_feedback', 'is_approve'],
	properties: {
		executionId: { type: 'string', description: 'Identifier of the execution, from kickoff' },
		taskId: resumeSchema.properties.task_id,
		question_id: resumeSchema.properties.question_id,
		human_feedback: resumeSchema.properties.human_feedback,
		is_approve: resumeSchema.properties.is_approve,
		...callbackTargets,
	},
} as const;

/** What {@link kickoffIdSchema} lets through. */
export interface KickoffIdPath {
	kickoff_id: string;
}

/** The path of the status and stop endpoints. */
export const kickoffIdSchema = {
	type: 'object',
	required: ['kickoff_id'],
	properties: { kickoff_id: uuid },
} as const;

/** The same for a deployment that answers for any identifier. */
export const anyIdSchema = {
	...kickoffIdSchema,
	properties: { kickoff_id: { type: 'string' } },
} as const;
