import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { CrewApiError } from '../api/errors';
import { isRecord } from '../model/json';
import { isTool } from '../n8n/versions';
import type { Watched } from '../waiting/watched';

/** An execution of the crew that a kickoff started or a resume sent on. */
export interface Started {
	kickoffId: string;
	/** The item if the node does not wait. */
	item: IDataObject;
	/** What its item contains in any case. */
	base?: IDataObject;
	answered?: Watched['answered'];
}

/** The outcome of an item's request: the execution, or that it may have arrived without an answer. */
type Sent = { started: Started } | { unsure: CrewApiError };

/** What one run of the node has sent, in all its tries. */
interface SentRequests {
	/** Identifies the wait of this run. Callbacks of requests from an earlier try have it, too. */
	waitId: string;
	/** By item. */
	sent: Map<number, Sent>;
	/** How many tries there have been, including this one. */
	tries: number;
}

/** By what identifies a run of the node, see {@link identityOf}. */
const allSent = new WeakMap<object, SentRequests>();

/** What this run of the node has sent: the same object in each of its tries. */
export function sentRequestsOf(context: IExecuteFunctions): SentRequests {
	const run = identityOf(context);
	const sentRequests = allSent.get(run) ?? { waitId: randomUUID(), sent: new Map(), tries: 0 };
	sentRequests.tries++;
	allSent.set(run, sentRequests);
	return sentRequests;
}

/** Whether n8n runs the node again if the first item of this try comes out with an error. */
export function isTriedAgain(context: IExecuteFunctions, { tries }: SentRequests): boolean {
	const { retryOnFail, maxTries } = context.getNode();
	if (context.getExecutionCancelSignal()?.aborted) return false;
	// The same limits as in n8n.
	return retryOnFail === true && tries < Math.min(5, Math.max(2, maxTries || 3));
}

/**
 * n8n gives the very same items to each try of Retry On Fail, and others to each round of a loop and to
 * each execution. Of an AI agent's call each try has a new item, around the same arguments.
 */
function identityOf(context: IExecuteFunctions): object {
	const [first = { json: {} }]: INodeExecutionData[] = context.getInputData();
	return isTool(context) && isRecord(first.json) ? first.json : first;
}

/**
 * Sends an item's request, unless an earlier try of this run has sent it. Makes starting and resuming a
 * crew safe under n8n's Retry On Fail, which runs the node again with the same items: an item with an
 * answer keeps it, and one whose request may have arrived is not sent again.
 *
 * @param consequence what may have happened at the crew, as the end of `The crew may have …`
 */
export async function sendOnce(
	{ sent }: SentRequests,
	itemIndex: number,
	consequence: string,
	send: () => Promise<Started>,
): Promise<Started> {
	const before = sent.get(itemIndex);
	if (before && 'started' in before) return before.started;
	if (before) throw before.unsure;
	const started = await send().catch((error: unknown) => {
		if (!(error instanceof CrewApiError) || !error.mayHaveArrived) throw error;
		const unsure = new CrewApiError(error.message, {
			httpCode: error.httpCode,
			mayHaveArrived: true,
			description: `The crew may have ${consequence} all the same, so this item is not sent again. Look first at the crew’s executions, in its dashboard or on the crew server’s page.\n${error.description}`,
		});
		sent.set(itemIndex, { unsure });
		throw unsure;
	});
	sent.set(itemIndex, { started });
	return started;
}
