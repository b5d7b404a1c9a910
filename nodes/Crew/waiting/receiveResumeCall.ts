import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { connect } from '../n8n/connect';
import { readBody } from '../n8n/readBody';
import { kindOfMark, readCallback, type CallbackEvent } from '../model/callback';
import { defined, isRecord, own } from '../model/json';
import { readNews } from '../model/news';
import { findPoller, startPolling, type BackgroundPoller } from './backgroundPoller';
import { keepWithinBounds } from './keptResults';
import { readResumeUrl } from './resumeUrl';
import { readStoredWait, type StoredWait } from './storedWait';
import { isAlone, WAKE_MARK } from './wake';
import { hear, isOver, toItem, type Watched } from './watched';

/**
 * Receives a call of the waiting execution's resume URL. Keeps what a callback says, and makes this
 * process ask the crew. If everything for the items has been gathered, the execution continues with
 * this call. Never throws, since that would end the execution.
 */
export async function receiveWhileWaiting(
	context: IWebhookFunctions,
): Promise<IWebhookResponseData> {
	try {
		const wait = readStoredWait(context);
		const { callback, wait: waitId, item } = context.getQueryData() as Record<string, unknown>;
		if (!wait || waitId !== wait.waitId) {
			return answer('Nothing waits for a crew at this URL', { waiting: false });
		}
		const one = findPoller(wait.waitId) ?? (await pollWith(context, wait));
		one.isStored = true;
		const called = one.all.find(({ itemIndex }) => itemIndex === Number(item));
		if (callback !== WAKE_MARK && !(called && takeNews(context, one, called))) {
			return answer('This does not end the wait');
		}
		await one.look();
		if (!one.isComplete() && one.schedule.isRefused) {
			await pollWith(context, wait);
			await one.look();
		}
		return endOrWaitOn(context, one, called);
	} catch (error) {
		const { message: reason } = error as Error;
		context.logger.warn('A call of a waiting execution could not be checked', { reason });
		return comeAgain(context);
	}
}

function answer(message: string, { waiting = true } = {}): IWebhookResponseData {
	return { webhookResponse: { ended: false, waiting, message } };
}

function comeAgain(context: IWebhookFunctions): IWebhookResponseData {
	context.getResponseObject().status(503).json({ message: 'Try again later' });
	return { noWebhookResponse: true };
}

/** Keeps what a callback says; `false` if it is not a reason to ask the crews. */
function takeNews(context: IWebhookFunctions, one: BackgroundPoller, called: Watched): boolean {
	const kind = kindOfMark(own(context.getQueryData(), 'callback'));
	const payloads = [readBody(context)].flat().filter(isRecord);
	const mayEnd = kind === 'crew' || kind === 'human_input' || kind === 'stream';
	let hasNews = payloads.length === 0 && mayEnd;
	for (const event of readCallback(payloads, kind)) {
		const execution = readNews(event);
		if (!execution || !isAbout(called, event)) continue;
		hasNews = true;
		// The stream reports inner crews, too.
		if (!isOver(called)) hear(called, execution, event.event === 'stream');
	}
	if (!isOver(called)) keepWithinBounds(called, one.wait.isSimple);
	if (hasNews) one.noteCallback();
	return hasNews;
}

/** After a resume, a callback may still name the resumed execution, also the very first one, or none. */
function isAbout({ kickoffId, answered }: Watched, event: CallbackEvent): boolean {
	const told = [event.kickoff_id ?? kickoffId, event.execution_id];
	return told.includes(kickoffId) || (answered !== undefined && told.includes(answered.kickoffId));
}

/** Lets this process ask the crews, with the credential as it is now. */
async function pollWith(context: IWebhookFunctions, wait: StoredWait): Promise<BackgroundPoller> {
	const crew = await connect(context).catch((error: unknown) => {
		const { message: reason } = error as Error;
		context.logger.warn('A waiting execution cannot ask its crew for the status', { reason });
		return undefined;
	});
	return startPolling(context, crew, wait, readResumeUrl(context));
}

function endOrWaitOn(
	context: IWebhookFunctions,
	one: BackgroundPoller,
	called?: Watched,
): IWebhookResponseData {
	// n8n has already taken the items. If they are still in its queue, it would continue twice.
	if (one.isHandedOver()) return comeAgain(context);
	if (one.isComplete()) {
		const items = endedItems(context, one);
		one.handedOver = context.getResponseObject();
		const webhookResponse = { ended: true, message: 'The workflow goes on' };
		return { workflowData: [items], webhookResponse };
	}
	// Nobody else would call once the crew's status has caught up.
	if (called && !isOver(called) && isAlone(one.resumeUrl)) return comeAgain(context);
	return answer('Not all crews are known to have ended');
}

/** The stored items, with the results of the executions that were still open. */
function endedItems(
	context: IWebhookFunctions,
	{ wait, all }: BackgroundPoller,
): INodeExecutionData[] {
	const byItem = new Map(all.map((one) => [one.itemIndex, one]));
	const left = context.evaluateExpression('{{ $input.all() }}') as INodeExecutionData[];
	return left.map(({ json, error }, item) => {
		const pairedItem = { item };
		const one = byItem.get(item);
		if (!one) return { json, error, pairedItem };
		const { resumed_from, callbacks } = json;
		const base = defined({ resumed_from, callbacks });
		return { json: toItem({ ...one, base }, wait.isSimple, true), pairedItem };
	});
}
