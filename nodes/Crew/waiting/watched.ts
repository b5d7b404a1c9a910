import type { IDataObject } from 'n8n-workflow';
import type { CrewReader } from '../api/client';
import { digest } from '../api/digest';
import type { CrewApiError } from '../api/errors';
import { NOT_FOUND_MEANS, readExecution, type Execution } from '../model/execution';
import { isSettled } from '../model/executionStatus';
import { defined, type JsonRecord } from '../model/json';
import { mergeNews } from '../model/news';

/** Milliseconds after a resume in which the status may still show the answered question. */
const RESUME_LAG = 2_500;
/**
 * Milliseconds for which a status may lag behind a callback, a crew may be away, and one of its
 * processes may not know an execution that another one knows.
 */
const DOUBT_TIME = 30_000;
/** After this many refusals in a row, a credential counts as wrong. */
export const MOST_REFUSALS = 3;

export type StatusReader = Pick<CrewReader, 'getStatusOnce'>;

/** A crew's execution that an input item waits for, with everything needed to ask for its status. */
export interface Awaited {
	itemIndex: number;
	kickoffId: string;
	/** When kickoff or resume was answered, in milliseconds since the epoch. */
	since: number;
	/** After a resume, the answered question, with its execution; the task's output as a {@link digest}. */
	answered?: { kickoffId: string; taskId: string; taskOutput?: string };
}

/** What a callback said. It proves nothing, and counts only if the crew itself cannot say. */
export interface Told {
	execution: Execution;
	/** Whether it may be about an inner crew. */
	isHint: boolean;
	/** When the crew was first asked about it, by the monotonic clock. */
	since?: number;
	/** Whether the crew has denied it. */
	isDenied?: boolean;
}

/** {@link Awaited}, with what is known about it. */
export interface Watched extends Awaited {
	/** What the item contains in any case. */
	base: IDataObject;
	/** Set, with the server's whole answer, once the execution has ended or asks a person. */
	execution?: Execution;
	response?: unknown;
	/** Whether `execution` was too large to keep, and says that its output is gone unless it is read again. */
	isCut?: boolean;
	/** Characters that are kept of it, see `keptResults`. */
	size?: number;
	told?: Told;
	/** Its progress when it was last asked for. */
	progress?: JsonRecord;
	/** Why the last request had no answer. */
	failure?: CrewApiError;
	/** How often in a row the crew refused the credential. */
	refusals?: number;
	/** Since when the crew does not know it, by the monotonic clock. */
	missingSince?: number;
	/** Whether asking again would always lead to `failure`. */
	isLost?: boolean;
}

/** Whether there is nothing more to wait for. */
export function isOver({ execution, isLost }: Watched): boolean {
	return execution !== undefined || isLost === true;
}

/** Whether the crew refuses the credential, which may be changed during the wait. */
export function isRefused({ failure }: Watched): boolean {
	return failure?.httpCode === 401 || failure?.httpCode === 403;
}

/** Whether the last request had no answer, but the next one may have one. */
export function isUnanswered(one: Watched): boolean {
	const { failure, missingSince, isCut, refusals = 0 } = one;
	const hasNone = failure !== undefined || missingSince !== undefined;
	return hasNone && (isCut === true || !isOver(one)) && refusals < MOST_REFUSALS;
}

/** Asks once for the status of an execution, and keeps the answer. `timeout` in milliseconds. */
export async function ask(client: StatusReader, one: Watched, timeout?: number): Promise<void> {
	const [answer] = await Promise.allSettled([client.getStatusOnce(one.kickoffId, timeout)]);
	one.failure = undefined;
	if (one.told) one.told.since ??= performance.now();
	if (answer.status === 'fulfilled') take(one, readExecution(answer.value), answer.value);
	else takeFailure(one, answer.reason as CrewApiError);
}

function take(one: Watched, execution: Execution, response?: unknown): void {
	const { status, progress } = execution;
	const { told } = one;
	if (status === 'not_found') {
		takeMissing(one);
		return;
	}
	Object.assign(one, { refusals: 0, missingSince: undefined, progress });
	if (isSettled(status) && !isAnswered(one, execution)) {
		settle(one, told ? mergeNews(execution, told.execution) : execution, response);
	} else if (status !== 'running' && status !== 'started') believe(one);
	// A claim of a callback that the crew still denies after this time is not true.
	else if (told) one.told = isLong(told.since) ? undefined : { ...told, isDenied: true };
}

function takeMissing(one: Watched): void {
	one.refusals = 0;
	one.missingSince ??= performance.now();
	const isToldTrue = one.told !== undefined && !one.told.isDenied;
	if (!isToldTrue && !isLong(one.missingSince)) return;
	if (!believe(one)) settle(one, { status: 'not_found', ...NOT_FOUND_MEANS });
}

function takeFailure(one: Watched, failure: CrewApiError): void {
	const { told } = one;
	if (failure.httpCode === 404 && !failure.isStandIn) {
		takeMissing(one);
		return;
	}
	one.failure = failure;
	one.refusals = isRefused(one) ? (one.refusals ?? 0) + 1 : 0;
	// A page that a proxy sends instead of the crew's answer, e.g. while the crew restarts, is temporary.
	const isPassing = failure.transient || failure.isStandIn;
	const isFinal = !isPassing && !isRefused(one);
	const isAway = isPassing && failure.httpCode !== 429;
	const isToldTrue = told && !told.isHint && !told.isDenied && isLong(told.since);
	// After the first refusal, the credential is read again.
	if (isFinal || (isAway && isToldTrue) || (told && one.refusals > 1)) one.isLost = !believe(one);
}

/** Whether it is no longer a matter of {@link DOUBT_TIME}. */
function isLong(since = performance.now()): boolean {
	return performance.now() - since >= DOUBT_TIME;
}

function settle(one: Watched, execution: Execution, response?: unknown): void {
	Object.assign(one, { execution, response, isCut: false });
}

/** Accepts what a callback said, or that the output is gone; `false` if there is neither. */
export function believe(one: Watched): boolean {
	const { told, execution = told?.execution } = one;
	if (execution) settle(one, execution);
	return execution !== undefined;
}

/** Keeps what a callback said. The first end stays; only after a question can there be more. */
export function hear(one: Watched, execution: Execution, isHint: boolean): void {
	const { told } = one;
	const before = told?.execution.status;
	const givesWay = !told || (!isHint && (told.isHint || before === 'pending_human_input'));
	if (told && before === execution.status) {
		// Several callbacks may report the same, some with fewer details.
		const both = { ...told.execution, ...execution };
		one.told = { ...told, execution: both, isHint: told.isHint && isHint };
	} else if (givesWay) one.told = { execution, isHint };
}

/** Whether this is the question that was just answered, which the status may still show right after a resume. */
function isAnswered({ since, answered }: Watched, execution: Execution): boolean {
	const { status, task_id, task_output } = execution;
	if (status !== 'pending_human_input' || !answered) return false;
	// The clock may have been set back.
	if (Math.abs(Date.now() - since) >= RESUME_LAG) return false;
	const isOtherTask = task_id !== undefined && task_id !== answered.taskId;
	const isOutputKnown = task_output !== undefined && answered.taskOutput !== undefined;
	return !isOtherTask && !(isOutputKnown && digest(task_output) !== answered.taskOutput);
}

/**
 * The content of the item for an execution whose wait is over, timed out if it has not settled.
 *
 * @param tellsAll whether to report that its status could not be read; not if Retry On Fail would then
 * run the node again, although the problem may be temporary
 */
export function toItem(one: Watched, isSimple: boolean, tellsAll = false): IDataObject {
	const { kickoffId, base, execution, response } = one;
	return {
		kickoff_id: kickoffId,
		...base,
		...(execution ?? unsettled(one, tellsAll)),
		...(isSimple || response === undefined ? {} : { response }),
	};
}

function unsettled(one: Watched, tellsAll: boolean): IDataObject {
	const { failure, isLost, progress, missingSince } = one;
	if (missingSince !== undefined) return { status: 'not_found', ...NOT_FOUND_MEANS };
	const { httpCode = 0, message } = failure ?? {};
	const isLasting = isLost === true || isRefused(one);
	// The vendor's platform also answers this way for runs that have failed.
	const mayHaveFailed = tellsAll && !isLasting && httpCode >= 500;
	const cause = mayHaveFailed ? `${message}: the run itself may have failed` : undefined;
	const error = isLasting ? message : cause;
	return defined({ status: isLost ? 'unknown' : 'timed_out', progress, error });
}
