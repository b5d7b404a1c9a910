import type { OperationName } from '../crewOperations';

/** Faults of a request, in the crew server's notation, each with a predicate for a sentence about the crew's server. */
export const REQUEST_FAULTS = new Map([
	['latency=1000', 'answers after a second'],
	['slow-body=2000', 'takes 2 s to send its answer'],
	['latency=90000', 'does not answer in time'],
	['slow-body=90000', 'does not finish its answer in time'],
	['half-body', 'drops the connection in the middle of its answer'],
	['drop-before', 'drops the connection at once'],
	['drop-after', 'does what it was asked, but drops the connection'],
	['429=1', 'answers 429 and asks to wait 1 s'],
	['429=120', 'answers 429 and asks to wait 120 s'],
	['500', 'answers 500'],
	['502', 'answers 502'],
	['503', 'answers 503'],
	['html=504', 'answers 504'],
	['html', 'answers 200 with a web page'],
]);

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
export type OnError = (typeof ON_ERROR)[number];

/** The item with the fault. */
export type Position = 'first' | 'last';

/** The node's settings, and the item with the fault. */
export interface Setting {
	position: Position;
	onError: OnError;
	/** n8n's Retry On Fail, with three tries. */
	retry: boolean;
}

/** Every setting: the item x On Error x Retry On Fail. */
export const SETTINGS: readonly Setting[] = (['first', 'last'] as const).flatMap((position) =>
	ON_ERROR.flatMap((onError) => [false, true].map((retry) => ({ position, onError, retry }))),
);

/** One run of the node with faults. */
export interface Cell extends Setting {
	operation: OperationName;
	/** In the crew server's notation. */
	faults: string[];
	/** The number of items; {@link ITEMS} by default. */
	items?: number;
}

/** The number of items in a run. */
export const ITEMS = 3;

export const ENDPOINTS: Record<OperationName, string> = {
	getInputs: 'inputs',
	kickoff: 'kickoff',
	getStatus: 'status',
	resume: 'resume',
	stop: 'stop',
};

/** The operations' names in the panel. */
export const NAMES: Record<OperationName, string> = {
	getInputs: 'Get Inputs',
	kickoff: 'Kickoff',
	getStatus: 'Get Status',
	resume: 'Resume',
	stop: 'Stop',
};

/** Whether a request starts something, and must never be sent twice. */
export function isStart(operation: OperationName): operation is 'kickoff' | 'resume' {
	return operation === 'kickoff' || operation === 'resume';
}

/**
 * A fault of one item's request, if the items' requests come one after the other.
 *
 * @param times how often it happens; by default, always from then on
 */
export function faultAt(
	kind: string,
	endpoint: string,
	position: Position,
	times?: number,
): string {
	const after = position === 'first' ? 0 : ITEMS - 1;
	return `${kind}@${endpoint}+${after}${times === undefined ? '' : `*${times}`}`;
}

/** How often a fault happens: once, or always from then on. */
export const DURATIONS = [1, undefined];

/** A fault of one item's request, in every setting. */
export function cellsWithFault(operation: OperationName, kind: string, times?: number): Cell[] {
	return SETTINGS.map((setting) => ({
		...setting,
		operation,
		faults: [faultAt(kind, ENDPOINTS[operation], setting.position, times)],
	}));
}

/** Two faults, one after the other. */
export interface Pair {
	first: string;
	then: string;
}

/** One fault of each sort: the others have the same effect as one of these. */
export const PAIRED_KINDS = [
	'latency=90000',
	'half-body',
	'drop-before',
	'drop-after',
	'429=1',
	'429=120',
	'503',
	'html',
];

export const PAIRS: readonly Pair[] = PAIRED_KINDS.flatMap((first) =>
	PAIRED_KINDS.map((then) => ({ first, then })),
);

/** The error output differs from the regular one only in the output of an item. */
const PAIR_SETTINGS = SETTINGS.filter(
	({ position, onError }) => position === 'first' && onError !== 'continueErrorOutput',
);

/** Two faults of the first item's requests, in each setting that makes a difference. */
export function cellsWithPair(operation: OperationName, { first, then }: Pair): Cell[] {
	const endpoint = ENDPOINTS[operation];
	// Get Inputs sends requests for several items at once: with one item, the second request is also for the first
	// item.
	const alone = operation === 'getInputs' ? { items: 1 } : {};
	return PAIR_SETTINGS.map((setting) => ({
		...setting,
		operation,
		faults: [`${first}@${endpoint}*1`, `${then}@${endpoint}+1*1`],
		...alone,
	}));
}

/** n8n tries again if the node throws, or if its first item is an error. */
export function isTriedAgain({ onError, position, retry }: Cell): boolean {
	return retry && (onError === 'stopWorkflow' || position === 'first');
}

export function describeCell({ operation, faults, position, onError, retry }: Cell): string {
	return `${operation} ${faults.join(', ')} (${position} item, ${onError}${retry ? ', Retry On Fail' : ''})`;
}
