import type { IDataObject } from 'n8n-workflow';
import type { CrewReader } from '../api/client';
import { digest } from '../api/digest';
import type { CrewApiError } from '../api/errors';
import { NOT_FOUND_MEANS, readExecution, type Execution } from '../model/execution';
import { isSettled } from '../model/executionStatus';
import { defined, type JsonRecord } from '../model/json';
import { mergeNews } from '../model/news';

/** Milliseconds after a resume in which the status may still show the question just answered. */
const RESUME_LAG = 2_500;
/** Milliseconds for which another process of the crew may know an execution that this one does not. */
const MISSING_TIME = 30_000;
/** Milliseconds for which a status may lag behind a callback, and a crew may be away. */
const DOUBT_TIME = 30_000;
/** How often in a row a credential is refused until that is no accident. */
export const MOST_REFUSALS = 3;

/** An execution of a crew that an input item waits for: all that is needed to ask for its status. */
export interface Awaited {
	itemIndex: number;
	kickoffId: string;
	/** When kickoff or resume was answered, in milliseconds since the epoch. */
	since: number;
	/** On resume, the question that was answered, and who asked it; its task's output as a {@link digest}. */
	answered?: { kickoffId: string; taskId: string; taskOutput?: string };
}

/** What a callback told. It proves nothing: it counts if the crew itself does not tell. */
export interface Told {
	execution: Execution;
	/** Whether it may be about an inner crew. */
	isHint: boolean;
	/** Since when, by the monotonic clock, the crew has denied it, or has been away. */
	doubt?: { isDenied: boolean; since: number };
}

/** {@link Awaited}, and what has become of it. */
export interface Watched extends Awaited {
	/** What the item carries whatever comes of the execution. */
	base: IDataObject;
	/** Set once the execution has ended or asks a person, with the server's whole answer. */
	execution?: Execution;
	response?: unknown;
	/** Whether `execution` was too much to keep, and says that its output is gone unless it is asked for. */
	isCut?: boolean;
	/** Characters of what is kept, see `keptResults`. */
	size?: number;
	told?: Told;
	/** How far it was when it was last asked for. */
	progress?: JsonRecord;
	/** Why the last question had no answer. */
	failure?: CrewApiError;
	/** How often in a row the crew refused the credential. */
	refusals?: number;
	/** Since when the crew does not know it, by the monotonic clock. */
	missingSince?: number;
	/** Whether asking again gives no other answer than `failure`. */
	isLost?: boolean;
}

/** Whether there is nothing more to wait for. */
export function isOver({ execution, isLost }: Watched): boolean {
	return execution !== undefined || isLost === true;
}

/** Whether the crew does not accept the credential, which may be changed while it is waited for. */
export function isRefused({ failure }: Watched): boolean {
	return failure?.httpCode === 401 || failure?.httpCode === 403;
}

/** Whether another question may well give another answer than the last one, which was none. */
export function isUnanswered(one: Watched): boolean {
	const { failure, missingSince, isCut, refusals = 0 } = one;
	const hasNone = failure !== undefined || missingSince !== undefined;
	return hasNone && (isCut === true || !isOver(one)) && refusals < MOST_REFUSALS;
}

/** Asks once how an execution stands, and keeps the answer. `timeout` in milliseconds. */
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
	// What a callback claims and the crew denies for so long is not true.
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
	// After the first time the credential is read again.
	const isAway = canBeAway && !told?.doubt?.isDenied && isDoubted(one, false);
	if (isFinal || (told && (isAway || one.refusals > 1))) one.isLost = !believe(one);
}

/** Takes note of an answer that a callback does not fit to; tells whether that has been so for long. */
function isDoubted({ told }: Watched, isDenied: boolean): boolean {
	if (!told) return false;
	const now = performance.now();
	if (told.doubt?.isDenied !== isDenied) told.doubt = { isDenied, since: now };
	return now - told.doubt.since >= DOUBT_TIME;
}

function settle(one: Watched, execution: Execution, response?: unknown): void {
	Object.assign(one, { execution, response, isCut: false, failure: undefined });
}

/** Lets count what a callback told, or that the output is gone; `false` if there is neither. */
export function believe(one: Watched): boolean {
	const { told, execution = told?.execution } = one;
	if (execution) settle(one, execution);
	return execution !== undefined;
}

/** Keeps what a callback told. An end stays as it was told first; only a question is followed by more. */
export function hear(one: Watched, told: Told): void {
	const { told: known } = one;
	const isSame = known?.execution.status === told.execution.status;
	const isAsking = known?.execution.status === 'pending_human_input';
	const givesWay = !known || (!told.isHint && (known.isHint || isAsking));
	if (!isSame && !givesWay) return;
	// Several callbacks may tell of the same, some of them less than others.
	const execution = isSame ? { ...known.execution, ...told.execution } : told.execution;
	const isHint = told.isHint && (known?.isHint ?? true);
	one.told = { execution, isHint, doubt: isSame ? known.doubt : undefined };
}

/** Right after a resume the status may show the question just answered, which a new one looks like. */
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
 * @param tellsAll whether to say that its status could not be read. Not if Retry On Fail would run
 * the node again for an item with an error, although the problem may be temporary
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

/** The vendor's platform answers so for runs that have failed, too. */
function whyBroken(failure?: CrewApiError): string | undefined {
	const { httpCode = 0, message = '' } = failure ?? {};
	return httpCode >= 500 ? `${message}: the run itself may have failed` : undefined;
}
