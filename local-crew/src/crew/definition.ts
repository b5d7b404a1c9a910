/** JSON types that an input can have. */
export const INPUT_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** One parameter that the crew expects at kickoff. */
export interface CrewInput {
	name: string;
	type: InputType;
	required: boolean;
	description?: string;
}

/** One unit of work. All texts may hold `{input name}`, and the output also `{human_feedback}`. */
export interface CrewTask {
	/** Unique in its crew; it is the API's `task_id`. */
	name: string;
	description: string;
	expectedOutput: string;
	/** The agent's role. */
	agent: string;
	/** What the task comes up with where no model works on it. */
	output: string;
	/** Who the agent is, for the model's instructions. */
	agentGoal?: string;
	agentBackstory?: string;
	/** Tools that the agent reports using, one step each before the final one. */
	tools?: string[];
	/** Milliseconds that the scripted work takes, or a text that an input fills with them: `{duration}`. */
	duration?: number | string;
	/** Whether a person is asked about the output before the crew goes on. */
	humanInput?: boolean;
	/** The text with which the task fails, instead of an output; empty once filled, it does not fail. */
	failure?: string;
}

/** A crew: what it asks for, and its tasks in the order in which they are worked on. */
export interface CrewDefinition {
	name: string;
	description?: string;
	inputs: CrewInput[];
	tasks: CrewTask[];
}

/** How long a task takes where its definition does not say, in milliseconds. */
export const DEFAULT_DURATION = 200;
