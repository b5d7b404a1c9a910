import type { IDataObject } from 'n8n-workflow';
import type { CrewClient } from '../api/client';
import { digest } from '../api/digest';
import type { CrewApiError } from '../api/errors';
import { NOT_FOUND_MEANS, readExecution, type Execution } from '../model/execution';
import { isSettled, type ExecutionStatus } from '../model/executionStatus';
import { defined, type JsonRecord } from '../model/json';
import { mergeNews } from '../model/news';

/** Milliseconds after a resume in which the status may still show the question just answered. */
const RESUME_LAG = 2_500;
/**
 * Milliseconds for which a crew that does not know an execution is asked again: another of its
 * processes may know it, and the callback of a question may be under way.
 */
const MISSING_TIME = 30_000;
/** Milliseconds, and answers, for which a status may lag behind a callback, and a crew may be away. */
const DOUBT_TIME = 30_000;
const MOST_DOUBTS = 5;
/** How often in a row a credential is refused until that is no accident. */
const MOST_REFUSALS = 3;

const OUTPUT_LOST = 'The crew has ended, but its output can no longer be read';

/** An execution of a crew that an input item waits for: all that is needed to ask for its status. */
export interface Awaited {
	itemIndex: number;
	kickoffId: string;
	/** When kickoff or resume was answered, in milliseconds since the epoch. */
	since: number;
	/**
	 * On resume, the question that has just been answered, and the ID of the execution that asked it;
	 * its task's output as a {@link digest}.
	 */
	answered?: { kickoffId: string; taskId: string; taskOutput?: string };
}

/** What a callback told. It proves nothing: it counts where the crew itself does not tell. */
export interface Told {
	execution: Execution;
	/** Whether it may be about an inner crew. */
	isHint: boolean;
	/** Since when, by the monotonic clock, and how often the crew has answered otherwise, or not at all. */
	doubt?: { status: 'running' | 'away'; since: number; times: number };
	/** Whether its content was too much to keep. */
	isCut?: boolean;
}

/** {@link Awaited}, and what has become of it. */
export interface Watched extends Awaited {
	/** What the item carries whatever comes of the execution. */
	base: IDataObject;
	/** Set once the execution has ended or asks a person. */
	execution?: Execution;
	/** The server's whole answer behind `execution`. */
	response?: unknown;
	/** In the place of `execution`, which was too much to keep. */
	cut?: ExecutionStatus;
	told?: Told;
	/** Whether it was running, by the last answer. */
	isRunning?: boolean;
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
	/** What is kept of it, and its characters, see `keptResults`. */
	kept?: Execution;
	size?: number;
}

/** Whether there is nothing more to wait for. */
export function isOver({ execution, cut, isLost }: Watched): boolean {
	return execution !== undefined || cut !== undefined || isLost === true;
}

/** Whether the crew does not accept the credential, which may be changed while it is waited for. */
export function isRefused({ failure }: Watched): boolean {
	return failure?.httpCode === 401 || failure?.httpCode === 403;
}

/** Gives up what the crew goes on refusing: nobody can change the credential of a running execution. */
export function giveUpRefused(one: Watched, most = MOST_REFUSALS): void {
	one.isLost ||= isRefused(one) && (one.refusals ?? 0) >= most;
}

/**
 * Asks once how an execution stands, and keeps the answer.
 *
 * @param timeout milliseconds
 */
export async function ask(client: CrewClient, one: Watched, timeout?: number): Promise<void> {
	const [answer] = await Promise.allSettled([client.getStatusOnce(one.kickoffId, timeout)]);
	one.failure = undefined;
	if (answer.status === 'fulfilled') {
		take(one, readExecution(answer.value), answer.value);
	} else {
		const failure = answer.reason as CrewApiError;
		if (failure.httpCode === 404 && !failure.isStandIn) take(one, { status: 'not_found' });
		else takeFailure(one, failure);
	}
}

function take(one: Watched, execution: Execution, response?: unknown): void {
	const { status } = execution;
	one.refusals = 0;
	one.missingSince = status === 'not_found' ? (one.missingSince ?? performance.now()) : undefined;
	if (one.missingSince !== undefined) {
		const isGone = performance.now() - one.missingSince >= MISSING_TIME;
		if (!believe(one) && isGone && !giveUpOutput(one)) settle(one, { status, ...NOT_FOUND_MEANS });
		return;
	}
	one.progress = execution.progress;
	one.isRunning = status === 'running' || status === 'started';
	if (isSettled(status) && !isAnswered(one, execution)) {
		settle(one, one.told ? mergeNews(execution, one.told.execution) : execution);
		one.response = response;
	} else if (one.isRunning) {
		// What a callback claims and the crew denies for so long is not true.
		if (isDoubted(one, 'running')) one.told = undefined;
	} else believe(one);
}

function takeFailure(one: Watched, failure: CrewApiError): void {
	one.failure = failure;
	one.refusals = isRefused(one) ? (one.refusals ?? 0) + 1 : 0;
	// What stands in the place of a crew's answer, such as a proxy's page while it restarts, passes.
	const isPassing = failure.transient || failure.isStandIn;
	const isFinal = !isPassing && !isRefused(one);
	const isThrottled = failure.httpCode === 429;
	const isAway = isPassing && !isThrottled && isDoubted(one, 'away') && !one.told?.isHint;
	// After the first time the credential is read again.
	if ((isFinal || one.refusals > 1 || (isAway && !one.isRunning)) && believe(one)) return;
	one.isLost = isFinal && !giveUpOutput(one);
}

/** Takes note of an answer that a callback does not fit to; tells whether that has been so for long. */
function isDoubted({ told }: Watched, status: 'running' | 'away'): boolean {
	if (!told) return false;
	const now = performance.now();
	if (told.doubt?.status !== status) told.doubt = { status, since: now, times: 0 };
	told.doubt.times++;
	return now - told.doubt.since >= DOUBT_TIME && told.doubt.times >= MOST_DOUBTS;
}

function settle(one: Watched, execution: Execution): void {
	one.execution = execution;
	one.cut = one.failure = undefined;
}

/** Lets count what a callback told, if one did. */
export function believe(one: Watched): boolean {
	const { told } = one;
	if (told?.isCut) one.cut = told.execution.status;
	if (told && !giveUpOutput(one)) settle(one, told.execution);
	return told !== undefined;
}

/** Lets the item say that its output is gone, if it was too much to keep. */
export function giveUpOutput(one: Watched): boolean {
	const { cut: status } = one;
	if (status) settle(one, { status, error: OUTPUT_LOST });
	return status !== undefined;
}

/**
 * Keeps what a callback told. An end stays as it was told first, whatever comes late or twice: only a
 * question is followed by something else.
 */
export function hear(one: Watched, told: Told): void {
	const { told: known } = one;
	const isSame = known?.execution.status === told.execution.status;
	const isAsking = known?.execution.status === 'pending_human_input';
	const givesWay = !known || (!told.isHint && (known.isHint || isAsking));
	if (!isSame && !givesWay) return;
	// Several callbacks may tell of the same, some of them less than others.
	const execution = isSame ? { ...known.execution, ...told.execution } : told.execution;
	one.told = { ...told, execution, isHint: told.isHint && (known?.isHint ?? true) };
	one.told.doubt = isSame ? known.doubt : undefined;
	one.isRunning &&= isSame;
}

/** Right after a resume the status may show the question just answered, which a new one looks like. */
function isAnswered({ since, answered }: Watched, execution: Execution): boolean {
	const { status, task_id, task_output } = execution;
	if (status !== 'pending_human_input' || !answered || Date.now() - since >= RESUME_LAG)
		return false;
	const isOtherTask = task_id !== undefined && task_id !== answered.taskId;
	const isOutputKnown = task_output !== undefined && answered.taskOutput !== undefined;
	return !isOtherTask && !(isOutputKnown && digest(task_output) !== answered.taskOutput);
}

/** The content of the item for an execution whose wait is over, timed out where it has not settled. */
export function toItem(one: Watched, isSimple: boolean): IDataObject {
	const { kickoffId, base, execution, response } = one;
	return {
		kickoff_id: kickoffId,
		...base,
		...(execution ?? unsettled(one)),
		...(isSimple || response === undefined ? {} : { response }),
	};
}

function unsettled(one: Watched): IDataObject {
	const { failure, isLost, progress, missingSince } = one;
	if (missingSince !== undefined) return { status: 'not_found', ...NOT_FOUND_MEANS };
	// Not for what passes: Retry On Fail runs the node again where the first item has an error.
	const error = failure && (isLost || isRefused(one)) ? failure.message : undefined;
	return defined({ status: isLost ? 'unknown' : 'timed_out', progress, error });
}
