/** JSON types that an input can have. */
export const INPUT_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** One parameter that the crew expects at kickoff. */
export interface CrewInput {
	name: string;
	type: InputType;
	required: boolean;
	description?: string;
	/** What it is if it is not given. */
	default?: unknown;
	examples?: readonly unknown[];
	/** Whether a value of any type will do, since it is filled in as text. */
	takesAnyValue?: boolean;
}

export const ON_INTERRUPT = ['again', 'fail', 'ask'] as const;
export type OnInterrupt = (typeof ON_INTERRUPT)[number];

/** One unit of work. All texts may hold `{input name}`. */
export interface TaskDescription {
	/** Unique in its crew; it is the API's `task_id`. */
	name: string;
	description: string;
	expectedOutput: string;
	/** The agent's role. */
	agent: string;
	/** Whether a person is asked about the output before the crew goes on. */
	humanInput?: boolean;
	/** What is done if it is cut off: it runs again (default), the execution fails, or a person is asked. */
	onInterrupt?: OnInterrupt;
	/** The path of a file for the output, which inputs must not lead out of its folder. */
	outputFile?: string;
}

/** A crew as clients see it: what it asks for, and its tasks in the order of their definition. */
export interface CrewDescription {
	name: string;
	description?: string;
	/** What it is, if it is not played. */
	kind?: string;
	/** Whether the states of its executions are kept, so that others can begin with them: a flow's with `@persist`. */
	persists?: boolean;
	/** Whether the state of a flow declares the `id` that each has; it is that of the execution, not for clients to fill in. */
	declaresId?: boolean;
	/** Whether a task is done as soon as a person approves its output: nothing checks or changes that output any more. */
	approvalsAreFinal?: boolean;
	/** What its user should know before the first kickoff. */
	warnings?: string[];
	inputs: CrewInput[];
	tasks: TaskDescription[];
}

/** Whether it is a flow, whose methods are the tasks: which of them it takes, nobody knows beforehand. */
export function isFlow({ kind = '' }: Pick<CrewDescription, 'kind'>): boolean {
	return kind.endsWith('flow');
}
