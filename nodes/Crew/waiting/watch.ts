import type { IDataObject } from 'n8n-workflow';
import type { CrewClient } from '../api/client';
import type { CrewApiError } from '../api/errors';
import { readExecution, type Execution } from '../model/execution';
import { isSettled } from '../model/executionStatus';

/** Milliseconds after a kickoff in which the status endpoint may not know the execution yet. */
const KICKOFF_LAG = 10_000;
/** Milliseconds after a resume in which the status may still show the question just answered. */
const RESUME_LAG = 2_500;

/** An execution of a crew that an input item waits for. */
export interface Watched {
	itemIndex: number;
	kickoffId: string;
	/** When kickoff or resume was answered, in milliseconds since the epoch. */
	since: number;
	/** On resume, the question that has just been answered. */
	answered?: { taskId: string; taskOutput?: IDataObject[string] };
	/** What the item carries whatever comes of the execution. */
	base: IDataObject;
	/** Set once the execution has ended or asks a person. */
	execution?: Execution;
	/** Whether the last answer may have been out of date. */
	isDoubtful?: boolean;
	/** The server's whole answer behind `execution`. */
	response?: unknown;
	/** Set where the status cannot be read and never will be. */
	failure?: CrewApiError;
}

/** Whether there is nothing more to wait for. */
export function isOver({ execution, failure }: Watched): boolean {
	return execution !== undefined || failure !== undefined;
}

/**
 * Asks once how an execution stands, and keeps the answer where it has settled.
 *
 * @param timeout milliseconds
 * @returns why there was no answer, where there was none
 */
export async function ask(
	client: CrewClient,
	watched: Watched,
	timeout?: number,
): Promise<CrewApiError | undefined> {
	try {
		const response = await client.getStatusOnce(watched.kickoffId, timeout);
		const execution = readExecution(response);
		watched.isDoubtful = isDoubtful(watched, execution);
		if (isSettled(execution.status) && !watched.isDoubtful) {
			watched.execution = execution;
			watched.response = response;
		}
		return undefined;
	} catch (error) {
		return error as CrewApiError;
	}
}

/**
 * Whether asking again would give no other answer than this one. A crew that was started has been
 * reached before: a page in the place of its answer, as of a proxy while it restarts, will pass.
 */
export function isFinal({ httpCode = 0, transient }: CrewApiError, { since }: Watched): boolean {
	const isTooEarly = httpCode === 404 && Date.now() - since < KICKOFF_LAG;
	const isPage = httpCode >= 200 && httpCode < 300;
	return !transient && !isTooEarly && !isPage;
}

/**
 * Right after a kickoff an execution may not be known yet, and right after a resume the status may
 * still show the question that was just answered, which a new one about the same task looks like.
 */
function isDoubtful({ since, answered }: Watched, execution: Execution): boolean {
	const age = Date.now() - since;
	const { status, task_id, task_output } = execution;
	if (status === 'not_found') return age < KICKOFF_LAG;
	if (status !== 'pending_human_input' || !answered || age >= RESUME_LAG) return false;
	const isOtherTask = task_id !== undefined && task_id !== answered.taskId;
	const { taskOutput } = answered;
	const isOtherOutput = task_output !== undefined && taskOutput !== undefined;
	return !isOtherTask && !(isOtherOutput && task_output !== taskOutput);
}

/**
 * Looks for an execution that is still under way: one is enough to go on waiting for all. Asks one,
 * then two, then four at once, so that N executions that end one by one cost N log N requests and
 * not N squared.
 *
 * @returns whether there is one
 */
export async function findRunning(
	watched: readonly Watched[],
	askOne: (watched: Watched) => Promise<unknown>,
	maxParallel: number,
): Promise<boolean> {
	const open = watched.filter((one) => !isOver(one));
	for (let from = 0, size = 1; from < open.length; from += size, size *= 2) {
		size = Math.min(size, maxParallel);
		const batch = open.slice(from, from + size);
		await Promise.all(batch.map(askOne));
		if (batch.some((one) => !isOver(one))) return true;
	}
	return false;
}
