/** JSON types that an input can have. */
export const INPUT_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** One parameter that the crew expects at kickoff. */
export interface CrewInput {
	name: string;
	type: InputType;
	required: boolean;
	description?: string;
	/** Its value if it is not given. */
	default?: unknown;
	examples?: readonly unknown[];
	/** Whether a value of any type will do, since it is filled in as text. */
	takesAnyValue?: boolean;
}

export const ON_INTERRUPT = ['again', 'fail', 'ask'] as const;
export type OnInterrupt = (typeof ON_INTERRUPT)[number];

/** One unit of work. All texts may contain `{input name}`. */
export interface TaskDescription {
	/** Unique in its crew; it is the API's `task_id`. */
	name: string;
	description: string;
	expectedOutput: string;
	/** The agent's role. */
	agent: string;
	/** Whether a person is asked about the output before the crew goes on. */
	humanInput?: boolean;
	/** What happens if it is cut off: it runs again (default), the execution fails, or a person is asked. */
	onInterrupt?: OnInterrupt;
	/** The path of a file for the output, which inputs must not move out of its folder. */
	outputFile?: string;
}

/** A crew as clients see it: its inputs, and its tasks in the order of their definition. */
export interface CrewDescription {
	name: string;
	description?: string;
	/** What kind of project it is, if it is not played. */
	kind?: string;
	/** Whether the states of its executions are kept, so that others can start from them: a flow with `@persist`. */
	persists?: boolean;
	/** Whether a flow's state declares the `id` that every state has. It is the execution's, not for clients to fill in. */
	declaresId?: boolean;
	/** Whether a task is done as soon as a person approves its output, so that nothing checks or changes it afterwards. */
	approvalsAreFinal?: boolean;
	/** What its user should know before the first kickoff. */
	warnings?: string[];
	inputs: CrewInput[];
	tasks: TaskDescription[];
}

/** Whether it is a flow. Its methods are the tasks, and nobody knows beforehand which of them will run. */
export function isFlow({ kind = '' }: Pick<CrewDescription, 'kind'>): boolean {
	return kind.endsWith('flow');
}
