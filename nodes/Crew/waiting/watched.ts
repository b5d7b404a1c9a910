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
/** Milliseconds for which one process of the crew may not know an execution that another one knows. */
const MISSING_TIME = 30_000;
/** Milliseconds for which a status may lag behind a callback, and for which a crew may be away. */
const DOUBT_TIME = 30_000;
/** After this many refusals in a row, a credential counts as wrong. */
export const MOST_REFUSALS = 3;

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
	/** Since when, by the monotonic clock, the crew has denied it, or has been away. */
	doubt?: { isDenied: boolean; since: number };
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
export async function ask(client: CrewReader, one: Watched, timeout?: number): Promise<void> {
	const [answer] = await Promise.allSettled([client.getStatusOnce(one.kickoffId, timeout)]);
	one.failure = undefined;
	if (answer.status === 'fulfilled') take(one, readExecution(answer.value), answer.value);
	else takeFailure(one, answer.reason as CrewApiError);
}

function take(one: Watched, execution: Execution, response?: unknown): void {
	const { status, progress } = execution;
	const { told, missingSince = performance.now() } = one;
	one.refusals = 0;
	one.missingSince = status === 'not_found' ? missingSince : undefined;
	if (status === 'not_found') {
		const isGone = performance.now() - missingSince >= MISSING_TIME;
		const isToldTrue = told !== undefined && !told.doubt?.isDenied;
		if ((isToldTrue || isGone) && !believe(one)) settle(one, { status, ...NOT_FOUND_MEANS });
		return;
	}
	one.progress = progress;
	if (isSettled(status) && !isAnswered(one, execution)) {
		settle(one, told ? mergeNews(execution, told.execution) : execution, response);
	} else if (status !== 'running' && status !== 'started') believe(one);
	// A claim of a callback that the crew has denied for this long is not true.
	else if (isDoubted(one, true)) one.told = undefined;
}

function takeFailure(one: Watched, failure: CrewApiError): void {
	const { told } = one;
	if (failure.httpCode === 404 && !failure.isStandIn) {
		take(one, { status: 'not_found' });
		return;
	}
	one.failure = failure;
	one.refusals = isRefused(one) ? (one.refusals ?? 0) + 1 : 0;
	// A page that a proxy sends instead of the crew's answer, e.g. while the crew restarts, is temporary.
	const isPassing = failure.transient || failure.isStandIn;
	const isFinal = !isPassing && !isRefused(one);
	const canBeAway = isPassing && failure.httpCode !== 429 && !told?.isHint;
	// After the first refusal, the credential is read again.
	const isAway = canBeAway && !told?.doubt?.isDenied && isDoubted(one, false);
	if (isFinal || (told && (isAway || one.refusals > 1))) one.isLost = !believe(one);
}

/** Notes an answer that contradicts a callback; returns whether it has done so for long. */
function isDoubted({ told }: Watched, isDenied: boolean): boolean {
	if (!told) return false;
	const now = performance.now();
	if (told.doubt?.isDenied !== isDenied) told.doubt = { isDenied, since: now };
	return now - told.doubt.since >= DOUBT_TIME;
}

function settle(one: Watched, execution: Execution, response?: unknown): void {
	Object.assign(one, { execution, response, isCut: false, failure: undefined });
}

/** Accepts what a callback said, or that the output is gone; `false` if there is neither. */
export function believe(one: Watched): boolean {
	const { told, execution = told?.execution } = one;
	if (execution) settle(one, execution);
	return execution !== undefined;
}

/** Keeps what a callback said. The first end stays; only after a question can there be more. */
export function hear(one: Watched, told: Told): void {
	const { told: known } = one;
	const isSame = known?.execution.status === told.execution.status;
	const isAsking = known?.execution.status === 'pending_human_input';
	const givesWay = !known || (!told.isHint && (known.isHint || isAsking));
	if (!isSame && !givesWay) return;
	// Several callbacks may report the same, some with fewer details.
	const execution = isSame ? { ...known.execution, ...told.execution } : told.execution;
	const isHint = told.isHint && (known?.isHint ?? true);
	one.told = { execution, isHint, doubt: isSame ? known.doubt : undefined };
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
	const isTold = isLost === true || isRefused(one);
	const lasting = isTold ? failure?.message : undefined;
	const error = lasting ?? (tellsAll ? whyBroken(failure) : undefined);
	return defined({ status: isLost ? 'unknown' : 'timed_out', progress, error });
}

/** Explains a server error: the vendor's platform also answers this way for runs that have failed. */
function whyBroken(failure?: CrewApiError): string | undefined {
	const { httpCode = 0, message = '' } = failure ?? {};
	return httpCode >= 500 ? `${message}: the run itself may have failed` : undefined;
}
