import type { CrewInput } from '../crew/description';

/** JSON Schemas of what clients send; Fastify checks every request against them. */

const uuid = { type: 'string', format: 'uuid' } as const;

const webAddress = {
	type: 'string',
	format: 'uri',
	pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
	description: 'An http or https URL',
} as const;

const authentication = {
	type: 'object',
	required: ['strategy'],
	properties: {
		strategy: { type: 'string', enum: ['bearer', 'basic'] },
		token: { type: 'string', minLength: 1 },
		username: { type: 'string' },
		password: { type: 'string' },
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
} as const;

const callbackTargets = {
	taskWebhookUrl: { ...webAddress, description: 'Called after each task' },
	stepWebhookUrl: { ...webAddress, description: "Called after each agent's thought or action" },
	crewWebhookUrl: { ...webAddress, description: 'Called when the crew has completed' },
	humanInputWebhook: {
		type: 'object',
		description: 'Called when a person is asked about the output of a task',
		required: ['url'],
		properties: { url: webAddress, authentication },
	},
	webhooks: {
		type: 'object',
		description: 'Called with events of the types that are named',
		required: ['url', 'events'],
		properties: {
			url: webAddress,
			events: { type: 'array', items: { type: 'string' } },
			realtime: { type: 'boolean', description: 'Whether each event is sent alone and at once' },
			authentication,
		},
	},
} as const;

/** The body of `POST /kickoff` for a crew that expects these inputs. */
export function kickoffSchema(inputs: readonly CrewInput[]): Record<string, unknown> {
	return {
		type: 'object',
		properties: {
			inputs: {
				type: 'object',
				// Without it, a body that leaves `inputs` out would not be told which ones are missing.
				default: {},
				required: inputs.filter(({ required }) => required).map(({ name }) => name),
				properties: Object.fromEntries(inputs.map((input) => [input.name, inputSchema(input)])),
			},
			meta: { type: 'object', description: 'Echoed in every callback' },
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
		human_feedback: { type: 'string', description: 'Added as extra context for later work' },
		is_approve: { type: 'boolean', description: 'true goes on, false has the task done again' },
		...callbackTargets,
	},
} as const;

/** The path of the status and stop endpoints. */
export const kickoffIdSchema = {
	type: 'object',
	required: ['kickoff_id'],
	properties: { kickoff_id: uuid },
} as const;
