import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import type { PacedCrew } from '../n8n/connect';
import type { Item, ItemOutcome } from '../n8n/item';
import { toNodeError, withMessage } from '../n8n/nodeError';
import { streamEventsOption } from '../callbacks/callbackFields';
import { readCallbacks } from '../callbacks/chosenCallbacks';
import { readResumeUrl, wakingCallbacks } from '../waiting/resumeUrl';
import { waitForCrews, waitingItem } from '../waiting/waitForCrews';
import { chooseNotice, readWait, type WaitSettings } from '../waiting/waitSettings';
import { toItem, type Watched } from '../waiting/watched';
import { errorItem, forEachItem } from './runItems';
import { isTriedAgain, sendOnce, sentRequestsOf, type Started } from './sendOnce';
import { maxParallelOption, simplifyOption } from './operation';
import { noticeOption, waitOptions, whenWaiting } from './waitFields';

/** How an operation starts or resumes an execution. */
export interface Start {
	/** What may have happened if a request may have arrived: `The crew may have …` */
	consequence: string;
	/** Whether the request can subscribe to the crew's failure. */
	takesEvents: boolean;
	/** Reads one item's request with these callback fields, and returns a function that sends it. */
	prepare(item: Item, callbacks: CallbackFields): () => Promise<Started>;
}

/** The options of the operations that start or resume an execution. */
export const startOptions: INodeProperties[] = [
	streamEventsOption,
	maxParallelOption,
	noticeOption,
	...waitOptions,
	// Without waiting, there is no answer to simplify.
	{ ...simplifyOption, displayOptions: whenWaiting },
];

/** The callbacks that report the end, or a question. */
const ENDS = ['crewWebhookUrl', 'humanInputWebhook', 'humanInputWebhookUrl'] as const;

/** Starts or resumes an execution of the crew for each item, and waits for them if the user chose to. */
export async function startAndWait(
	context: IExecuteFunctions,
	crew: PacedCrew,
	start: Start,
): Promise<INodeExecutionData[]> {
	const settings = readWait(context);
	const resumeUrl = settings.isWaiting ? readResumeUrl(context) : '';
	const notice = chooseNotice(context, settings, crew.baseUrl, resumeUrl);
	const sentRequests = sentRequestsOf(context);
	const { waitId } = sentRequests;
	const waiting = { settings, ...notice, resumeUrl, waitId };
	const hasEvents = start.takesEvents && settings.failureEvents;
	const isStrict = settings.noticeBy === 'callback';
	const prepare = (item: Item) => {
		const waking: CallbackFields = notice.isCalledBack
			? wakingCallbacks(resumeUrl, waitId, item.index, hasEvents)
			: {};
		const { fields, carried } = readCallbacks(item, crew.credential, waking, isStrict);
		// The user's own callback replaces the one that would report the end, or a question.
		if (ENDS.some((name) => fields[name] !== waking[name])) waiting.isPolled = true;
		const send = start.prepare(item, fields);
		return async () => {
			const started = await sendOnce(sentRequests, item.index, start.consequence, send);
			const base = { ...started.base, ...carried };
			return { ...started, base, itemIndex: item.index, since: Date.now() };
		};
	};
	const hasBegun = (index: number) => sentRequests.sent.has(index);
	const outcomes = await forEachItem(context, crew, 'POST', prepare, hasBegun);
	if (!settings.isWaiting) return outcomes.map(startedItem);
	if (outcomes[0]?.failed && isTriedAgain(context, sentRequests)) {
		return outcomes.map(({ done, failed }) => failed ?? waitingItem(done));
	}
	return await waitForCrews(context, crew, outcomes, waiting, finishFor(context, settings));
}

/** The item of an execution if the node does not wait. */
function startedItem({ failed, done }: ItemOutcome<Started>, item: number): INodeExecutionData {
	return failed ?? { json: { ...done.item, ...done.base }, pairedItem: { item } };
}

/**
 * Turns a watched execution into its item: with its end or question, or as timed out.
 *
 * @throws if its status could not be read and the node is to stop on errors
 */
export function finishFor(
	context: IExecuteFunctions,
	{ isSimple }: WaitSettings,
): (watched: Watched) => INodeExecutionData {
	return (watched) => {
		const { itemIndex, kickoffId, failure, isLost } = watched;
		if (!failure || !isLost)
			return { json: toItem(watched, isSimple), pairedItem: { item: itemIndex } };
		// In the message, since n8n passes nothing else to the error output.
		const message = `${failure.message} (kickoff_id ${kickoffId})`;
		const error = withMessage(toNodeError(context.getNode(), failure, itemIndex), message);
		if (!context.continueOnFail()) throw error;
		return errorItem(context, error, itemIndex, { kickoff_id: kickoffId });
	};
}
