import type { CrewDescription, TaskDescription } from '../../domain/crew';

/** A task as it is played. */
export interface CrewTask extends TaskDescription {
	/** The task's output; may also contain `{human_feedback}`. */
	output: string;
	/** Tools that the agent reports using, one step each before the final one. */
	tools?: string[];
	/** Milliseconds that the work takes, or a text that an input fills in: `{duration}`. */
	duration?: number | string;
	/** The error with which the task fails, instead of an output. If it is empty once filled in, the task does not fail. */
	failure?: string;
}

/** A crew whose tasks are played as this says, in their order. */
export interface CrewDefinition extends CrewDescription {
	tasks: CrewTask[];
}

/** How long a task takes if its definition does not say, in milliseconds. */
export const DEFAULT_DURATION = 200;
