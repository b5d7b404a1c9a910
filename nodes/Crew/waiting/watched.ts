import type { IDataObject } from 'n8n-workflow';
import { KICKOFF_LAG, type CrewClient } from '../api/client';
import { digest } from '../api/digest';
import type { CrewApiError } from '../api/errors';
import { readExecution, type Execution } from '../model/execution';
import { isSettled, type ExecutionStatus } from '../model/executionStatus';
import { defined } from '../model/json';

/** Milliseconds after a resume in which the status may still show the question just answered. */
const RESUME_LAG = 2_500;

/** An execution of a crew that an input item waits for: all that is needed to ask for its status. */
export interface Awaited {
	itemIndex: number;
	kickoffId: string;
	/** When kickoff or resume was answered, in milliseconds since the epoch. */
	since: number;
	/** On resume, the question that has just been answered; its task's output as a {@link digest}. */
	answered?: { taskId: string; taskOutput?: string };
}

/** {@link Awaited}, and what has become of it. */
export interface Watched extends Awaited {
	/** What the item carries whatever comes of the execution. */
	base: IDataObject;
	/** Set once the execution has ended or asks a person. */
	execution?: Execution;
	/** The server's whole answer behind `execution`. */
	response?: unknown;
	/** How far it was when it was last asked for. */
	progress?: Execution['progress'];
	/** Why the last question had no answer. */
	failure?: CrewApiError;
	/** Whether asking again gives no other answer than `failure`. */
	isLost?: boolean;
}

/** Whether there is nothing more to wait for. */
export function isOver({ execution, isLost }: Watched): boolean {
	return execution !== undefined || isLost === true;
}

/**
 * Asks once how an execution stands, and keeps the answer.
 *
 * @param timeout milliseconds
 * @returns the status, `unknown` where the answer may be out of date; `undefined` without an answer
 */
export async function ask(
	client: CrewClient,
	watched: Watched,
	timeout?: number,
): Promise<ExecutionStatus | undefined> {
	watched.failure = undefined;
	try {
		const response = await client.getStatusOnce(watched.kickoffId, timeout);
		const execution = readExecution(response);
		if (isDoubtful(watched, execution)) return 'unknown';
		if (isSettled(execution.status)) Object.assign(watched, { execution, response });
		watched.progress = execution.progress;
		return execution.status;
	} catch (error) {
		const failure = error as CrewApiError;
		watched.failure = failure;
		if (!isFinal(failure, watched)) return undefined;
		if (failure.httpCode === 404) watched.execution = { status: 'not_found' };
		else watched.isLost = !isRefused(watched);
		return undefined;
	}
}

/**
 * Keeps no more of the last answer than whether the execution is over: answers can be large, and an
 * error holds on to the run that it comes from.
 */
export function forgetAnswer(watched: Watched): void {
	watched.execution &&= { status: watched.execution.status };
	watched.response = watched.progress = watched.failure = undefined;
}

/** Whether the crew does not accept the credential, which may be changed while it is waited for. */
export function isRefused({ failure }: Watched): boolean {
	return failure?.httpCode === 401 || failure?.httpCode === 403;
}

/**
 * A crew that was started has been reached before: what stands in the place of its answer, such as a
 * proxy's page while it restarts, passes.
 */
function isFinal({ httpCode, transient, isStandIn }: CrewApiError, { since }: Watched): boolean {
	const isTooEarly = httpCode === 404 && Date.now() - since < KICKOFF_LAG;
	return !transient && !isStandIn && !isTooEarly;
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
	const isOutputKnown = task_output !== undefined && answered.taskOutput !== undefined;
	return !isOtherTask && !(isOutputKnown && digest(task_output) !== answered.taskOutput);
}

/** More at once would be asked in vain, where one of them is running. */
const SEARCHED_AT_ONCE = 10;

/**
 * Looks for an execution that is still running: one is enough to go on waiting for all. Asks one,
 * then two, then four at once, so that N executions that end one by one cost N log N requests and
 * not N squared.
 *
 * @param maxParallel how many to ask at once at most; 0 for no choice
 * @returns whether there is one
 */
export async function findRunning(
	watched: readonly Watched[],
	maxParallel: number,
	askOne: (watched: Watched) => Promise<unknown>,
): Promise<boolean> {
	const open = watched.filter((one) => !isOver(one));
	for (let from = 0, size = 1; from < open.length; from += size, size *= 2) {
		size = Math.min(size, maxParallel || SEARCHED_AT_ONCE);
		const batch = open.slice(from, from + size);
		await Promise.all(batch.map(askOne));
		if (batch.some((one) => !isOver(one))) return true;
	}
	return false;
}

/** The content of the item for an execution whose wait is over, timed out where it has not settled. */
export function toItem(watched: Watched, isSimple: boolean): IDataObject {
	const { kickoffId, base, execution, response, failure, isLost, progress } = watched;
	const unsettled: IDataObject = defined({ status: isLost ? 'unknown' : 'timed_out', progress });
	// Not for what passes: Retry On Fail runs the node again where the first item has an error.
	if (failure && (isLost || isRefused(watched))) unsettled.error = failure.message;
	return {
		kickoff_id: kickoffId,
		...base,
		...(execution ?? unsettled),
		...(isSimple || response === undefined ? {} : { response }),
	};
}
