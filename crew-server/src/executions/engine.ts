import type { CrewDescription } from '../crew/description';
import type { ExecutionRecord, Step, TokenUsage } from './record';

/**
 * Does the work on the executions of one crew. What an execution is, whom it calls back and what is kept of it,
 * an engine does not know: it tells {@link Reports} what happens, and reads the record only to see what is to be done.
 */
export interface Engine {
	readonly crew: CrewDescription;
	/** Works on the tasks of an execution that are not completed; also on one that an earlier process has left. */
	begin(execution: ExecutionRecord, reports: Reports): Work;
	/** Goes on where a person was asked: with the newest of the execution's `feedback`. */
	answer(execution: ExecutionRecord, reports: Reports): Work;
	/** Ends all work, and lets go of what the engine holds. */
	close(): Promise<void>;
}

/** The work on one execution, up to a question to a person or the end. */
export interface Work {
	/** Resolves, and never rejects, once nothing is left of it. */
	readonly finished: Promise<void>;
	/** Takes the answer to a question of a task while others are worked on. @returns whether it goes on with it */
	answer?(taskId: string): boolean;
	/** Ends it where it stands; it reports nothing more. */
	end(): void;
}

/** What is known of a task only once it is worked on. */
export interface TaskTexts {
	description?: string;
	expectedOutput?: string;
	/** The agent's role. */
	agent?: string;
}

export interface TaskOutput {
	output: string;
	/** The structured output; where there is none, the text may still be JSON. */
	outputJson?: unknown;
}

/** Why an execution has failed, for whoever has written the crew. */
export interface Cause {
	/** With the error's type, file and line. */
	reason: string | null;
	traceback: string | null;
}

/** What an engine keeps with a task, to go on from there. */
export interface Kept {
	kept?: unknown;
}

export interface Question extends TaskOutput, Kept {
	/** What a person is to know beside the output, such as why they are asked again. */
	reason?: string;
	/** Whether other tasks are worked on meanwhile. */
	worksOn?: boolean;
}

/**
 * What an engine tells of one execution, in the order in which it happens. Each promise resolves, and never rejects,
 * once the journal has what was told.
 */
export interface Reports {
	/** Whether the work has to wait until other executions have made room. */
	waitsInLine(waits: boolean): void;
	/** What the engine needs to go on after a question or the end of a process; nobody else reads it. */
	prepared(kept: unknown): Promise<void>;
	taskBegun(taskId: string, texts?: TaskTexts): Promise<void>;
	/** A thought or an action of an agent. */
	step(step: Step): void;
	/** A model has been called. */
	tokensUsed(usage: TokenUsage): void;
	/** An event for the stream, beside those of tasks and of the crew, which follow from the other reports. */
	event(type: string, data: Record<string, unknown>): void;
	/** A person has to say whether this output is good. If `kept` is null, only the process that asks can go on. */
	question(taskId: string, question: Question): Promise<void>;
	/** Nothing is worked on until a person answers. */
	paused(): Promise<void>;
	/** A task is not done, since its condition does not hold. */
	taskSkipped(taskId: string): Promise<void>;
	taskDone(taskId: string, output: TaskOutput & TaskTexts & Kept): Promise<void>;
	/** What came of a task's work cannot be used. */
	taskLost(taskId: string, error: string): Promise<void>;
	/** @param result what the crew came up with; the last task's output unless given */
	crewDone(result?: TaskOutput): Promise<void>;
	/**
	 * @param error the text that clients are shown
	 * @param cause what the log is told, where it is more
	 */
	failed(error: string, cause?: Cause): Promise<void>;
	/** What the crew's own code has printed; also after the end. */
	printed(lines: readonly string[]): void;
}
