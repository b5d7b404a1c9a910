import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { connect, type Crew } from '../api/connect';
import { forEachLimited } from '../api/forEachLimited';
import { statusesAtOnce } from '../api/gate';
import { readBody } from '../callbacks/readBody';
import { kindOfMark, readCallback } from '../model/callback';
import { isRecord, own } from '../model/json';
import { forget, recall, remember, takeTurn, type Memory } from './memory';
import { mergeNews, readNews } from '../model/news';
import { shuffle } from '../model/shuffle';
import { readResumeUrl } from './resumeUrl';
import { readStoredWait, type StoredWait } from './storedWait';
import { askingTime, WAKE_MARK } from './wake';
import { crewOf, endWatch, noteCallback, watch } from './watcher';
import { ask, findRunning, isOver, isRefused, toItem, type Watched } from './watched';

/** Milliseconds: whoever calls waits for the answer meanwhile. */
const STATUS_TIMEOUT = 5_000;
const ALL_TIMEOUT = 10_000;
/** Milliseconds that n8n is given to go on with an execution whose wait has ended. */
const ENDING_TIME = 30_000;

/**
 * Receives a call of the waiting execution's resume URL. Ends the wait when all crews have ended or
 * ask a person, or the time is up; else the execution goes on waiting, and this process watches it.
 * Never throws: n8n would end the execution then.
 */
export async function receiveWhileWaiting(
	context: IWebhookFunctions,
): Promise<IWebhookResponseData> {
	try {
		const wait = readStoredWait(context);
		const { callback, wait: waitId, item } = context.getQueryData() as Record<string, unknown>;
		if (!wait || waitId !== wait.waitId) {
			return answer('No crew is waited for with this URL', { waiting: false });
		}
		const memory = recall(wait.waitId);
		const isWake = callback === WAKE_MARK;
		if (!isWake && !takeNews(context, wait, memory, Number(item))) {
			return answer('Nothing that ends the wait');
		}
		return await takeTurn(memory, async () =>
			Date.now() < memory.endingUntil
				? answer('The wait has ended already', { waiting: false })
				: await endOrWaitOn(context, wait, memory, isWake),
		);
	} catch (error) {
		const { message: reason } = error as Error;
		context.logger.warn('A call of a waiting execution could not be looked into', { reason });
		context.getResponseObject().status(503).json({ message: 'Try again later' });
		return { noWebhookResponse: true };
	}
}

function answer(message: string, { waiting = true } = {}): IWebhookResponseData {
	return { webhookResponse: { ended: false, waiting, message } };
}

/** Keeps what a callback tells; `false` where it is no reason to ask the crews. */
function takeNews(
	context: IWebhookFunctions,
	{ awaited }: StoredWait,
	memory: Memory,
	item: number,
): boolean {
	const kind = kindOfMark(own(context.getQueryData(), 'callback'));
	const expected = awaited.find(({ itemIndex }) => itemIndex === item)?.kickoffId;
	if (expected === undefined) return false;
	const body = readBody(context);
	const isUnreadable = body === undefined || (Array.isArray(body) && !body.some(isRecord));
	if (isUnreadable) return kind === 'crew' || kind === 'human_input' || kind === 'stream';
	let hasNews = false;
	for (const event of readCallback(Array.isArray(body) ? body.filter(isRecord) : body, kind)) {
		const news = readNews(event);
		if (!news || (event.kickoff_id ?? expected) !== expected) continue;
		// The stream tells of inner crews, too.
		remember(memory, item, { execution: news, isHint: event.event === 'stream' });
		hasNews = true;
	}
	return hasNews;
}

/** @param isAnew whether to read the credential again, which may have been changed */
async function endOrWaitOn(
	context: IWebhookFunctions,
	wait: StoredWait,
	memory: Memory,
	isWake: boolean,
	isAnew = isWake,
): Promise<IWebhookResponseData> {
	// For each credential that is read in a call, n8n makes a sandbox for expressions.
	const known = isAnew ? undefined : crewOf(wait.waitId);
	const crew = known ?? (await connectIfPossible(context));
	const watched = wait.awaited.map((one): Watched => ({ ...one, base: {} }));
	const isTimeUp = Date.now() >= wait.endsAt;
	const time = isWake && !isTimeUp ? askingTime(wait) : ALL_TIMEOUT;
	const survey = { crew, told: memory.told, end: Date.now() + time, isSure: false };
	const askOne = askIn.bind(undefined, survey);
	// What a callback told counts, unless it is a hint. The search begins at another crew each time.
	const silent = watched.filter(({ itemIndex }) => memory.told.get(itemIndex)?.isHint !== false);
	// Our own watcher has searched already: one tells whether the credential is still good.
	const searched = shuffle(silent).slice(0, isWake ? 1 : undefined);
	const isFound = !isTimeUp && (await findRunning(searched, wait.maxParallel, askOne));
	const open = isFound ? [] : watched.filter((one) => !isOver(one));
	await forEachLimited(open, crew ? statusesAtOnce(crew.baseUrl, wait.maxParallel) : 1, askOne);
	const isRunning = !isTimeUp && silent.some((one) => !isOver(one));
	const isOutdated = known !== undefined && watched.some(isRefused);
	if (isOutdated) return await endOrWaitOn(context, wait, memory, isWake, true);
	if (isRunning) {
		// Where no answer was sure, all may have ended: that is to be noticed soon.
		if (crew) watch(context, crew, wait, readResumeUrl(context), !isWake && !survey.isSure);
		return answer('Other crews are still running');
	}
	const items = endedItems(context, wait, watched, memory);
	forget(wait.waitId, Date.now() + ENDING_TIME);
	endWatch(wait.waitId);
	if (crew && !isWake) noteCallback(crew.baseUrl);
	return {
		workflowData: [items],
		webhookResponse: { ended: true, message: 'The workflow goes on' },
	};
}

/** What the crews are asked during a call, in a time that is limited for all of them together. */
interface Survey {
	crew?: Crew;
	told: Memory['told'];
	/** In milliseconds since the epoch. */
	end: number;
	/** Whether a crew is running without doubt. */
	isSure: boolean;
}

/** A hint counts where the status tells nothing. */
async function askIn(survey: Survey, one: Watched): Promise<void> {
	const { crew, told, end } = survey;
	const left = Math.min(STATUS_TIMEOUT, end - Date.now());
	const status = crew && left > 0 ? await ask(crew.client, one, left) : undefined;
	const known = told.get(one.itemIndex);
	if (status === 'running' || status === 'started') survey.isSure ||= !known;
	else if (known && !isOver(one)) one.execution = known.execution;
}

/** Without a usable credential the callbacks' own content counts. */
async function connectIfPossible(context: IWebhookFunctions): Promise<Crew | undefined> {
	return await connect(context).catch((error: unknown) => {
		const { message: reason } = error as Error;
		context.logger.warn('A waiting execution cannot ask its crew for the status', { reason });
		return undefined;
	});
}

/** The items as they were left, with what came of the executions that were still open then. */
function endedItems(
	context: IWebhookFunctions,
	wait: StoredWait,
	watched: readonly Watched[],
	{ told }: Memory,
): INodeExecutionData[] {
	const byItem = new Map(watched.map((one) => [one.itemIndex, one]));
	const left = context.evaluateExpression('{{ $input.all() }}') as INodeExecutionData[];
	// With Execute Once there is more input than the node was given.
	return left.slice(0, wait.itemCount).map(({ json, error }, item) => {
		const pairedItem = { item };
		const one = byItem.get(item);
		if (!one) return { json, error, pairedItem };
		const base = json.callbacks === undefined ? {} : { callbacks: json.callbacks };
		const news = told.get(item);
		const execution =
			news?.isHint === false ? mergeNews(one.execution, news.execution) : one.execution;
		return { json: toItem({ ...one, base, execution }, wait.isSimple), pairedItem };
	});
}
