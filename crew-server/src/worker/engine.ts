import type { CrewDescription } from '../domain/crew';
import type { Execution } from '../domain/execution';
import type { Report } from '../domain/messages';

/**
 * Does the work on the executions of one crew. It knows nothing of clients, storage and callbacks: it reports what
 * happens, and reads the execution only to see what is left to do.
 */
export interface Engine {
	readonly crew: CrewDescription;
	/** How many executions it works on at once. */
	readonly parallel: number;
	/** Why it can do no work at the moment. */
	readonly problem?: string | undefined;
	/** Works on the tasks of an execution that are not completed, also if an earlier process has begun them. */
	begin(run: Run): Work;
	/** Ends all work, and lets go of what the engine holds. */
	close(): Promise<void>;
}

/** An execution that a worker has claimed, as its engine sees it. */
export interface Run {
	/** The execution with all reports that the store has taken, and what people have answered. */
	readonly execution: Execution;
	/**
	 * Tells what happens, in order.
	 *
	 * @returns once the store has it; `false` if it never will, since the work is no longer this worker's: it is to end
	 */
	report(...reports: Report[]): Promise<boolean>;
	/** Tells why an execution fails, for the log, before `failed` is reported. */
	explain(cause: Cause): void;
	/** Takes what the crew's own code has printed, also after the end. */
	printed(lines: readonly string[]): void;
	/** Makes room for others as long as the work only waits for a person, and keeps what it has. */
	yieldSlot(): void;
	/** Resolves once there is room to go on after {@link yieldSlot}. */
	regainSlot(): Promise<void>;
}

/** The work on one execution, up to a question to a person or the end. */
export interface Work {
	/** Resolves, and never rejects, once nothing is left of it, and all reports are taken. */
	readonly finished: Promise<void>;
	/** Whether nobody else could go on from where it stands. */
	readonly isBound?: boolean;
	/** A person has answered a question of a task while others are worked on. */
	answered?(taskId: string): void;
	/** What works apart from this process has to end by itself unless it hears this again in so many milliseconds. */
	leased?(milliseconds: number): void;
	/** Ends it where it stands; what it still reports does not count. */
	end(): void;
}

/** Why an execution has failed, for the author of the crew. */
export interface Cause {
	/** With the error's type, file and line. */
	reason: string | null;
	traceback: string | null;
}
