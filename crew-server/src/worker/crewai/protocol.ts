/** The messages between the crew server, its Python host and the host's children, as in python/PROTOCOL.md. */

export const PROTOCOL_VERSION = 1;

/** What a field can be. */
interface Kinds {
	number: number;
	'number or null': number | null;
	string: string;
	'string or null': string | null;
	boolean: boolean;
	object: Record<string, unknown>;
	list: unknown[];
	strings: string[];
	numbers: number[];
	tasks: DescribedTask[];
	inputs: DescribedInput[];
	agents: DescribedAgent[];
	any: unknown;
}

type Shape = Record<string, keyof Kinds>;

type Fields<Of extends Shape> = { [Name in keyof Of]: Kinds[Of[Name]] };

/** A message from a table: its `type`, and the fields in the table. */
type MessageOf<Table extends Record<string, Shape>> = {
	[Type in keyof Table]: { type: Type } & Fields<Table[Type]>;
}[keyof Table];

const DESCRIBED_TASK = {
	name: 'string',
	description: 'string',
	expected_output: 'string',
	agent: 'string',
	human_input: 'boolean',
	guardrails: 'number',
	output_file: 'string or null',
	/** `again`, `fail` or `ask`. */
	on_interrupt: 'string',
} as const satisfies Shape;

export type DescribedTask = Fields<typeof DESCRIBED_TASK>;

const DESCRIBED_INPUT = {
	name: 'string',
	/** A JSON type; `null` if any value will do, since it is filled in as text. */
	type: 'string or null',
	required: 'boolean',
	description: 'string or null',
	/** The default; `null` if there is none, or none that can be shown. */
	default: 'any',
	examples: 'list',
} as const satisfies Shape;

export type DescribedInput = Fields<typeof DESCRIBED_INPUT>;

const DESCRIBED_AGENT = {
	role: 'string',
	model: 'string or null',
} as const satisfies Shape;

export type DescribedAgent = Fields<typeof DESCRIBED_AGENT>;

export const HOST_REPORTS = {
	imported: {
		version: 'number',
		crewai: 'string',
		python: 'string',
		place: 'string',
		shares_memory: 'boolean',
		/** For CrewAI's import, then for the project's. */
		seconds: 'numbers',
		slow: 'strings',
		unshareable: 'strings',
	},
	refused: { message: 'string' },
	printed: { child: 'number', lines: 'strings' },
	exited: { child: 'number', code: 'number or null', signal: 'string or null', lines: 'strings' },
	alive: {},
} as const satisfies Record<string, Shape>;

export const CHILD_REPORTS = {
	hello: { version: 'number', child: 'number', pid: 'number' },
	described: {
		name: 'string',
		kind: 'string',
		tasks: 'tasks',
		inputs: 'inputs',
		agents: 'agents',
		has_hooks: 'boolean',
		persists: 'boolean',
		builds_early: 'boolean',
		warnings: 'strings',
		unset: 'strings',
	},
	checkpoint: { number: 'number', checkpoint: 'any' },
	task_begun: {
		number: 'number',
		task_id: 'string',
		description: 'string',
		expected_output: 'string',
		agent: 'string',
	},
	step: {
		prompt: 'string',
		thought: 'string',
		tool: 'string or null',
		tool_input: 'string or null',
		result: 'string',
	},
	tokens: { total: 'number', prompt: 'number', completion: 'number' },
	event: { name: 'string', data: 'object' },
	file_written: {},
	question: {
		number: 'number',
		task_id: 'string',
		output: 'string',
		output_json: 'any',
		reason: 'string or null',
		works_on: 'boolean',
		checkpoint: 'any',
	},
	paused: { number: 'number' },
	task_skipped: { number: 'number', task_id: 'string' },
	task_done: {
		number: 'number',
		task_id: 'string',
		output: 'string',
		output_json: 'any',
		checkpoint: 'any',
		description: 'string',
		expected_output: 'string',
		agent: 'string',
	},
	task_lost: { number: 'number', task_id: 'string', error: 'string' },
	crew_done: { number: 'number', output: 'string', output_json: 'any' },
	failed: {
		number: 'number',
		error: 'string',
		reason: 'string or null',
		traceback: 'string or null',
	},
} as const satisfies Record<string, Shape>;

export type HostReport = MessageOf<typeof HOST_REPORTS>;
export type ChildReport = MessageOf<typeof CHILD_REPORTS>;
/** A child's report of one type. */
export type Report<Type extends ChildReport['type']> = Extract<ChildReport, { type: Type }>;

export type HostOrder =
	| {
			type: 'open';
			version: number;
			folder: string;
			crew: string | null;
			/** Where the crew is, as `module:name`; `null` to search for it. */
			entry: string | null;
			socket: string;
			storage: string;
			/** Where tasks write their output files; `null` for the project's folder. */
			files: string | null;
	  }
	| { type: 'fork'; child: number }
	| { type: 'end'; child: number }
	| { type: 'ask' };

/** What a child needs to work on an execution, whether it is new or continues. */
export interface BeginOrder {
	type: 'begin';
	kickoff_id: string;
	/** The identifier from kickoff. On some deployments, `kickoff_id` changes when a person answers. */
	begun_as: string;
	inputs: Record<string, unknown>;
	/** The identifier of the state that a flow should start from; `null` for a new state. */
	restore: string | null;
	/** The caller's span, in the format of W3C Trace Context. */
	traceparent: string | null;
	/** The names of the tasks at the kickoff. */
	tasks: string[];
	/** What the execution's first child reported as `checkpoint`; `null` for that child itself. */
	checkpoint: unknown;
	/** Tasks to skip. */
	done: Array<{
		task_id: string;
		output: string;
		output_json: unknown;
		description: string;
		expected_output: string;
		agent: string;
	}>;
	/** What people said when they approved. */
	approvals: Array<{ task_id: string; feedback: string }>;
	/** Questions that were asked, each with its checkpoint. */
	asked: Array<{ task_id: string; answer: AnswerToTask | null; checkpoint: unknown }>;
}

/** What a person said to a question. */
export interface AnswerToTask {
	is_approve: boolean;
	feedback: string;
}

export type ChildOrder =
	| { type: 'describe' }
	| { type: 'build' }
	| BeginOrder
	| ({ type: 'answer'; task_id: string } & AnswerToTask)
	| { type: 'acknowledged'; number: number }
	/** The child ends unless this comes again in that many milliseconds, since others may then work on the execution. */
	| { type: 'leased'; milliseconds: number };

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const FITS: { [Kind in keyof Kinds]: (value: unknown) => boolean } = {
	number: (value) => typeof value === 'number',
	'number or null': (value) => value === null || typeof value === 'number',
	string: (value) => typeof value === 'string',
	'string or null': (value) => value === null || typeof value === 'string',
	boolean: (value) => typeof value === 'boolean',
	object: isObject,
	list: Array.isArray,
	strings: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
	tasks: (value) => Array.isArray(value) && value.every((one) => hasShape(one, DESCRIBED_TASK)),
	numbers: (value) => Array.isArray(value) && value.every((one) => typeof one === 'number'),
	agents: (value) => Array.isArray(value) && value.every((one) => hasShape(one, DESCRIBED_AGENT)),
	inputs: (value) => Array.isArray(value) && value.every((one) => hasShape(one, DESCRIBED_INPUT)),
	any: () => true,
};

function hasShape(value: unknown, shape: Shape): boolean {
	if (!isObject(value)) return false;
	const names = Object.keys(shape);
	return (
		Object.keys(value).length === names.length &&
		Object.entries(shape).every(
			([name, kind]) => Object.hasOwn(value, name) && FITS[kind](value[name]),
		)
	);
}

/**
 * Reads a line as one of a table's messages.
 *
 * @throws {Error} if it is none of them, or has the wrong fields
 */
export function readMessage<Table extends Record<string, Shape>>(
	line: string,
	table: Table,
): MessageOf<Table> {
	const message = JSON.parse(line) as { type?: unknown };
	const { type, ...fields } = message;
	const shape = typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined;
	if (!shape || !hasShape(fields, shape)) {
		throw new Error(
			`The host sent a message that this version does not know: ${line.slice(0, 200)}`,
		);
	}
	return message as MessageOf<Table>;
}
