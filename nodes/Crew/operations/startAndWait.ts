import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import type { Crew } from '../api/connect';
import { withMessage } from '../api/withMessage';
import { callbackOptions } from '../callbacks/callbackFields';
import { readCallbacks } from '../callbacks/chosenCallbacks';
import { readReachableResumeUrl, wakingCallbacks } from '../waiting/resumeUrl';
import { toItem } from '../waiting/toItem';
import { parkingOptions, pollingOptions, readWait, whenWaiting } from '../waiting/waitFields';
import { waitForCrews, type Slot } from '../waiting/waitForCrews';
import type { Watched } from '../waiting/watch';
import { toNodeError } from './nodeError';
import { errorItem, forEachItem, readMaxParallel } from './runItems';
import { openLedger, sendOnceWith, type SendOnce } from './sendOnce';
import { maxParallelOption, simplifyOption } from './sharedFields';

/** An execution of the crew that a kickoff started or a resume sent on. */
export interface Started {
	kickoffId: string;
	/** The item where nothing is waited for. */
	item: IDataObject;
	answered?: Watched['answered'];
}

/** How an operation starts or resumes an execution. */
export interface Start<Body> {
	/** What a request that may have arrived may have done: `The crew may have …` */
	consequence: string;
	/** Reads one item's request. `callbacks` are its callback fields. */
	read(itemIndex: number, callbacks: CallbackFields): Body;
	/** Sends one item's request, with `sendOnce`. */
	send(body: Body, itemIndex: number, sendOnce: SendOnce): Promise<Started>;
}

/** The options of the operations that start or resume an execution. */
export const startOptions: INodeProperties[] = [
	...callbackOptions,
	maxParallelOption,
	...parkingOptions,
	...pollingOptions,
	// Without waiting there is no answer to simplify.
	{ ...simplifyOption, displayOptions: whenWaiting },
];

/** Starts or resumes an execution of the crew for each item, and waits for them if the user chose to. */
export async function startAndWait<Body>(
	context: IExecuteFunctions,
	crew: Crew,
	start: Start<Body>,
): Promise<INodeExecutionData[]> {
	const settings = readWait(context, true);
	const isParking = settings.mode === 'callback';
	const resumeUrl = isParking ? readReachableResumeUrl(context, crew.baseUrl) : '';
	const ledger = openLedger(context);
	const { waitId } = ledger;
	const sendOnce = sendOnceWith(context, ledger, start.consequence);
	const readItem = (itemIndex: number) => {
		const waking = isParking
			? wakingCallbacks(resumeUrl, waitId, itemIndex, settings.failureEvents)
			: {};
		const { fields, carried } = readCallbacks(context, crew.credential, itemIndex, waking);
		return { body: start.read(itemIndex, fields), carried };
	};
	const outcomes = await forEachItem(context, readItem, async ({ body, carried }, itemIndex) => {
		const started = await start.send(body, itemIndex, sendOnce);
		return { ...started, base: { ...carried }, since: Date.now() };
	});
	if (settings.mode === 'no') {
		return outcomes.map(
			({ failed, done }, item) =>
				failed ?? { json: { ...done.item, ...done.base }, pairedItem: { item } },
		);
	}
	const slots = outcomes.map(({ failed, done }, itemIndex): Slot =>
		failed ? { item: failed } : { watched: { ...done, itemIndex } },
	);
	const isSimple = context.getNodeParameter('options.simplify', 0, true) as boolean;
	const maxParallel = readMaxParallel(context);
	const waiting = { settings, resumeUrl, waitId, isSimple, maxParallel };
	return await waitForCrews(context, crew, slots, waiting, finishFor(context, isSimple));
}

/**
 * How a watched execution becomes its item: what came of it, or that its time is up.
 *
 * @throws where its status could not be read and the node is to stop on errors
 */
export function finishFor(
	context: IExecuteFunctions,
	isSimple: boolean,
): (watched: Watched) => INodeExecutionData {
	return (watched) => {
		const { itemIndex, kickoffId, failure } = watched;
		if (!failure) return { json: toItem(watched, isSimple), pairedItem: { item: itemIndex } };
		// In the message, since that is all that n8n hands to the error output.
		const message = `${failure.message} (kickoff_id ${kickoffId})`;
		const error = withMessage(toNodeError(context.getNode(), failure, itemIndex), message);
		if (!context.continueOnFail()) throw error;
		return errorItem(context, error, itemIndex, { kickoff_id: kickoffId });
	};
}
