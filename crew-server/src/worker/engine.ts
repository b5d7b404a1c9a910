import type { CrewDescription } from '../domain/crew';
import type { Execution } from '../domain/execution';
import type { Report } from '../domain/messages';

/**
 * Does the work on the executions of one crew. It knows nothing about clients, storage and callbacks: it reports what
 * happens, and reads the execution only to see what is left to do.
 */
export interface Engine {
	readonly crew: CrewDescription;
	/** How many executions it works on at once. */
	readonly parallel: number;
	/** Why it cannot work at the moment. */
	readonly problem?: string | undefined;
	/** Works on the uncompleted tasks of an execution, even those that had begun in an earlier process. */
	begin(run: Run): Work;
	/** Ends all work, and releases the engine's resources. */
	close(): Promise<void>;
}

/** An execution that a worker has claimed, as its engine sees it. */
export interface Run {
	/** The execution with all reports that the store has taken, and people's answers. */
	readonly execution: Execution;
	/**
	 * Reports what happens, in order.
	 *
	 * @returns once the store has it; `false` if it never will, since the work no longer belongs to this worker and must end
	 */
	report(...reports: Report[]): Promise<boolean>;
	/** Explains why an execution fails, for the log, before `failed` is reported. */
	explain(cause: Cause): void;
	/** Takes what the crew's own code has printed, even after the end. */
	printed(lines: readonly string[]): void;
	/** Makes room for others while the work only waits for a person, without releasing its process. */
	yieldSlot(): void;
	/** Resolves once there is room to continue after {@link yieldSlot}. */
	regainSlot(): Promise<void>;
}

/** The work on one execution, up to a question to a person or the end. */
export interface Work {
	/** Resolves, and never rejects, once nothing is left of it and all reports are stored. */
	readonly finished: Promise<void>;
	/** Whether nobody else could continue from its current state. */
	readonly isBound?: boolean;
	/** A person has answered the question of a task while other tasks are running. */
	answered?(taskId: string): void;
	/** Processes other than this one must end by themselves unless this comes again in that many milliseconds. */
	leased?(milliseconds: number): void;
	/** Ends it at once; later reports do not count. */
	end(): void;
}

/** Why an execution has failed, for the author of the crew. */
export interface Cause {
	/** With the error's type, file and line. */
	reason: string | null;
	traceback: string | null;
}
