import { NodeOperationError, WAIT_INDEFINITELY, type IExecuteFunctions } from 'n8n-workflow';
import { withMessage } from '../n8n/nodeError';
import { isTool } from '../n8n/versions';
import { asText, isOn } from '../model/json';
import { canReach, hostReach } from '../model/hostReach';
import type { StoredWait } from './storedWait';
import { losesCallbacks } from './backgroundPoller';
import { gatheringTime } from './polling';

/** The user's settings; the first item's count for all. All times in milliseconds. */
export interface WaitSettings {
	isWaiting: boolean;
	noticeBy: 'auto' | 'callback' | 'polling';
	/** Whether the execution is kept running. */
	isHeld: boolean;
	/** The time limit; infinite if there is none. */
	limit: number;
	pollInterval: number;
	failureEvents: boolean;
	stopOnCancel: boolean;
	/** Whether to leave the crew's whole answers out of the items. */
	isSimple: boolean;
}

export function readWait(context: IExecuteFunctions): WaitSettings {
	const read = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, 0, fallback);
	const isSet = (name: string, fallback: boolean) => isOn(read(name, fallback), fallback);
	const interval = Number(read('options.pollInterval', 5));
	const noticeBy = read('options.noticeBy', 'auto');
	return {
		isWaiting: read('wait', 'no') === 'end',
		noticeBy: noticeBy === 'callback' || noticeBy === 'polling' ? noticeBy : 'auto',
		// An execution in which an AI agent calls the node cannot wait in the database.
		isHeld: isTool(context) || isSet('options.hold', false),
		limit: isSet('limitWaitTime', true)
			? limit(read('resumeAmount', 1), read('resumeUnit', 'hours'))
			: Infinity,
		// JSON, in which it is stored, has no infinity.
		pollInterval: interval >= 0.05 ? Math.min(1000 * interval, LONGEST_WITHOUT_CALLBACKS) : 5_000,
		failureEvents: isSet('options.failureEvents', true),
		stopOnCancel: isSet('options.stopOnCancel', false),
		isSimple: isSet('options.simplify', true),
	};
}

const MILLISECONDS = new Map<unknown, number>(
	Object.entries({ seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }),
);

function limit(amount: unknown, unit: unknown): number {
	// An expression that returns nothing, or only spaces, does not mean zero.
	const value = Number(asText(amount)?.trim() || NaN);
	const factor = MILLISECONDS.get(asText(unit)?.trim().toLowerCase());
	return (value >= 0 ? value : 1) * (factor ?? 3_600_000);
}

/** How to notice the end of the executions. */
export interface Notice {
	/** Whether the crews get callback URLs. */
	isCalledBack: boolean;
	/** Whether the node also polls them. */
	isPolled: boolean;
}

/**
 * Decides by names and addresses alone, without asking the network.
 *
 * @throws NodeOperationError if callbacks are required but can never arrive
 */
export function chooseNotice(
	context: IExecuteFunctions,
	{ isWaiting, isHeld, noticeBy }: WaitSettings,
	baseUrl: string,
	resumeUrl: string,
): Notice {
	if (!isWaiting || isHeld || noticeBy === 'polling')
		return { isCalledBack: false, isPolled: true };
	if (!canReach(baseUrl, resumeUrl)) {
		const isNever = hostReach(resumeUrl) === 'loopback';
		if (noticeBy === 'auto') return { isCalledBack: !isNever, isPolled: true };
		const { origin } = new URL(resumeUrl);
		if (isNever) throw unreachable(context, origin);
		context.logger.warn('The crew may not reach the webhook address of this n8n', { origin });
	}
	return { isCalledBack: true, isPolled: losesCallbacks(baseUrl) };
}

function unreachable(context: IExecuteFunctions, origin: string): NodeOperationError {
	const message = `The crew cannot call back: this n8n’s webhook address ${origin} can only be reached from its own machine`;
	const description =
		"Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to an address of this n8n that the crew can reach, or set 'Detect Completion' to 'Automatically'. Nothing was started.";
	return withMessage(new NodeOperationError(context.getNode(), message, { description }), message);
}

/** The longest wait in milliseconds if only the background poller, which a restart ends, would notice the end. */
const LONGEST_WITHOUT_CALLBACKS = 86_400_000;
/**
 * Milliseconds after the limit, plus the time for the last checks in two processes, after which n8n
 * itself ends the wait. n8n loads timers more than a minute ahead.
 */
const NET = 120_000;

/** When a wait for this many that starts now will end, no later than n8n's own latest date. */
export function deadlineOf(
	{ limit }: WaitSettings,
	canOutliveRestart: boolean,
	count: number,
): Pick<StoredWait, 'endsAt' | 'until'> {
	const isEndless = limit === Infinity && !canOutliveRestart;
	const latest = (time: number) => Math.min(time, WAIT_INDEFINITELY.getTime());
	const endsAt = latest(Date.now() + (isEndless ? LONGEST_WITHOUT_CALLBACKS : limit));
	return { endsAt, until: latest(endsAt + 2 * gatheringTime(count) + NET) };
}
