import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { connect, type Crew } from '../api/connect';
import { forEachLimited } from '../api/forEachLimited';
import { readBody } from '../callbacks/readBody';
import { kindOfMark, readCallback } from '../model/callback';
import { isRecord } from '../model/json';
import { readParkedWait, type ParkedWait } from './park';
import { lookLater } from './lookLater';
import { addNews, mergeNews, readNews } from './news';
import { toItem } from './toItem';
import { recall, takeTurn, type WaitMemory } from './waitMemory';
import { ask, findRunning, isFinal, isOver, type Watched } from './watch';

/** A callback's sender waits for the answer meanwhile. Milliseconds. */
const STATUS_TIMEOUT = 5_000;
/** Milliseconds that n8n is given to go on with an execution whose wait has ended. */
const ENDING_TIME = 30_000;
/** Milliseconds without a callback after which the crews are looked at: the next one may be lost. */
const QUIET = 10_000;

/**
 * Receives a call of the parked execution's resume URL. Ends the wait when all crews have ended or
 * ask a person; else leaves the execution parked. Never throws: n8n would end the execution then.
 */
export async function receiveWhileParked(
	context: IWebhookFunctions,
): Promise<IWebhookResponseData> {
	try {
		const wait = readStoredWait(context);
		const { callback, wait: waitId, item } = context.getQueryData() as Record<string, unknown>;
		if (!wait || waitId !== wait.waitId) return stayParked('No crew is waited for with this URL');
		const memory = recall(wait.waitId);
		const isLook = callback === 'look';
		if (!isLook && !takeNews(context, wait, memory, Number(item))) {
			return stayParked('Nothing that ends the wait');
		}
		return await takeTurn(memory, async () =>
			Date.now() < memory.endingUntil
				? stayParked('The wait has ended already')
				: await endIfAllEnded(context, wait, memory, isLook),
		);
	} catch (error) {
		context.logger.warn('A crew’s callback could not be looked into; the execution stays parked', {
			reason: (error as Error).message,
		});
		context.getResponseObject().status(503).json({ message: 'Try again later' });
		return { noWebhookResponse: true };
	}
}

function readStoredWait(context: IWebhookFunctions): ParkedWait | undefined {
	// In an expression a name with braces would end it.
	const name = JSON.stringify(context.getNode().name).replace(/[{}]/g, asEscape);
	return readParkedWait(context.evaluateExpression(`{{ $node[${name}].context }}`));
}

function asEscape(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function stayParked(message: string, details: IDataObject = {}): IWebhookResponseData {
	return { webhookResponse: { ended: false, message, ...details } };
}

/** Keeps what the callback tells; `false` where it tells nothing of a crew that is waited for. */
function takeNews(
	context: IWebhookFunctions,
	wait: ParkedWait,
	memory: WaitMemory,
	item: number,
): boolean {
	const { callback } = context.getQueryData() as { callback?: unknown };
	const expected = wait.kickoffIds[item];
	const body = readBody(context);
	const payloads = Array.isArray(body) ? body.filter(isRecord) : body;
	let hasNews = false;
	for (const event of payloads ? readCallback(payloads, kindOfMark(callback)) : []) {
		const news = readNews(event);
		const isOurs = expected && (event.kickoff_id ?? expected) === expected;
		if (!news || !isOurs) continue;
		memory.news.set(item, addNews(memory.news.get(item), news));
		hasNews = true;
	}
	return hasNews;
}

async function endIfAllEnded(
	context: IWebhookFunctions,
	wait: ParkedWait,
	memory: WaitMemory,
	isLook: boolean,
): Promise<IWebhookResponseData> {
	const crew = await connectIfPossible(context);
	const watched = toWatched(wait);
	const silent = shuffle(watched.filter(({ itemIndex }) => !memory.news.has(itemIndex)));
	const running: Watched[] = [];
	const askOne = async (one: Watched) => {
		if (!crew) return;
		const failure = await ask(crew.client, one, STATUS_TIMEOUT);
		// A crew that cannot be asked counts as under way, unless it no longer knows the execution.
		if (failure?.httpCode === 404 && isFinal(failure, one)) one.execution = { status: 'not_found' };
		else if (!failure && !isOver(one) && !one.isDoubtful) running.push(one);
	};
	if (await findRunning(silent, askOne, wait.maxParallel)) {
		// Where the answers are in doubt or missing, all may have ended: without another callback nobody
		// would notice.
		const isUnsure = running.length === 0;
		if (!isLook) lookLater(context, wait, memory, isUnsure ? 0 : QUIET);
		return stayParked('Other crews are still under way', { unsure: isUnsure });
	}
	const told = watched.filter((one) => !isOver(one));
	await forEachLimited(told, wait.maxParallel, askOne);
	memory.endingUntil = Date.now() + ENDING_TIME;
	return {
		workflowData: [endedItems(context, wait, watched, memory)],
		webhookResponse: { ended: true, message: 'The workflow goes on' },
	};
}

function toWatched(wait: ParkedWait): Watched[] {
	return wait.kickoffIds.flatMap((kickoffId, itemIndex) => {
		if (kickoffId === null) return [];
		const answered = wait.answered[itemIndex] ?? undefined;
		return [{ itemIndex, kickoffId, since: wait.since, answered, base: {} }];
	});
}

/** In any order, so that the search for a crew still under way starts at another one each time. */
function shuffle<T>(entries: readonly T[]): T[] {
	return entries
		.map((entry) => ({ entry, order: Math.random() }))
		.sort((a, b) => a.order - b.order)
		.map(({ entry }) => entry);
}

/** Without a usable credential the callbacks' own content counts. */
async function connectIfPossible(context: IWebhookFunctions): Promise<Crew | undefined> {
	try {
		return await connect(context);
	} catch (error) {
		context.logger.warn('The crew of a parked execution cannot be asked for its status', {
			reason: (error as Error).message,
		});
		return undefined;
	}
}

/** The items as `park` left them, with what came of the executions that were still open then. */
function endedItems(
	context: IWebhookFunctions,
	{ isSimple, kickoffIds }: ParkedWait,
	watched: readonly Watched[],
	{ news }: WaitMemory,
): INodeExecutionData[] {
	const left = context.evaluateExpression('{{ $input.all() }}') as INodeExecutionData[];
	const byItem = new Map(watched.map((one) => [one.itemIndex, one]));
	// With Execute Once there is more input than the node was given.
	return left.slice(0, kickoffIds.length).map(({ json, error }, item) => {
		const pairedItem = { item };
		const one = byItem.get(item);
		if (!one) return { json, error, pairedItem };
		const told = news.get(item);
		const execution = told ? mergeNews(one.execution, told) : one.execution;
		const ended = { ...one, base: withoutStatus(json), execution };
		return { json: toItem(ended, isSimple), pairedItem };
	});
}

function withoutStatus(json: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'status'));
}
