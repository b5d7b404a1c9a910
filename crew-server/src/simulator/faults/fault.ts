import { CALLBACK_KINDS } from '../../domain/targets';

/** The endpoints that a fault can be limited to. */
export const ENDPOINTS = ['inputs', 'kickoff', 'status', 'resume', 'stop'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** What a fault affects: an answer, a callback, or the work on a task. */
export type FaultTarget = 'request' | 'callback' | 'work';

interface FaultSort {
	target: FaultTarget;
	/** The kind of its value, if it has one. */
	value?: 'milliseconds' | 'seconds' | 'status' | 'bytes' | 'requests';
	/** The value if none is given. */
	fallback?: number;
	/** What happens, for people. */
	effect: string;
}

/** All faults, by the word that asks for each. */
export const FAULT_SORTS = {
	latency: {
		target: 'request',
		value: 'milliseconds',
		fallback: 1_000,
		effect: 'answers late; latency=100..500 takes a random time in between',
	},
	'429': { target: 'request', value: 'seconds', fallback: 1, effect: 'refuses with Retry-After' },
	'429-beyond': {
		target: 'request',
		value: 'requests',
		fallback: 10,
		effect: 'refuses what comes while so many others are not answered yet',
	},
	'502-beyond': {
		target: 'request',
		value: 'requests',
		fallback: 10,
		effect: 'answers that with 502 and a page of HTML',
	},
	'at-once': {
		target: 'request',
		value: 'requests',
		fallback: 4,
		effect: 'works on so many at once, while the others wait; name it before latency',
	},
	'500': { target: 'request', effect: 'answers 500 with a JSON body' },
	'502': { target: 'request', effect: 'answers 502 with a page of HTML, as a proxy does' },
	'503': { target: 'request', effect: 'answers 503 with a page of HTML, as a proxy does' },
	html: { target: 'request', value: 'status', fallback: 200, effect: 'answers HTML, not JSON' },
	'drop-before': { target: 'request', effect: 'drops the connection before anything is done' },
	'drop-after': { target: 'request', effect: 'does what was asked, then drops the connection' },
	'slow-body': {
		target: 'request',
		value: 'milliseconds',
		fallback: 2_000,
		effect: 'sends the body bit by bit',
	},
	'half-body': { target: 'request', effect: 'sends half of the body, then drops the connection' },
	'callback-lost': { target: 'callback', effect: 'is not sent' },
	'callback-late': {
		target: 'callback',
		value: 'milliseconds',
		fallback: 2_000,
		effect: 'is sent late; later ones overtake it',
	},
	'callback-twice': { target: 'callback', effect: 'is sent twice' },
	'callback-out-of-order': { target: 'callback', effect: 'is sent after the one that follows it' },
	'callback-wrong-token': { target: 'callback', effect: 'carries a wrong bearer token' },
	'never-ends': { target: 'work', effect: 'the task never ends' },
	'task-fails': { target: 'work', effect: 'the task fails' },
	output: {
		target: 'work',
		value: 'bytes',
		fallback: 10 * 1024 ** 2,
		effect: 'the task has an output of this size, as 500KB or 10MB',
	},
} as const satisfies Record<string, FaultSort>;

export type FaultKind = keyof typeof FAULT_SORTS;

/** One fault that is to happen. */
export interface Fault {
	kind: FaultKind;
	/** Milliseconds, seconds, a status, bytes or requests, as the kind says. */
	value?: number;
	/** The largest value, if the value is random. */
	upTo?: number;
	/** The endpoint, kind of callback or task that it is limited to; without it, any. */
	at?: string;
	/** How many occasions it lets pass before it happens; without it, none. */
	after?: number;
	/** How often it happens; without it, always. */
	times?: number;
}

const NOTATION = /^([\w-]+)(?:=([\w.]+))?(?:@([^*+]+))?(?:\+(\d+))?(?:\*(\d+))?$/;
const NUMBER = /^(\d+)(?:\.\.(\d+))?$/;
const SIZE = /^(\d+)(KB|MB)?$/i;

/**
 * Reads faults, several with commas between them, each as `kind[=value][@where][+after][*times]`:
 * `429=2@kickoff+2*3, callback-late=500@crew`.
 *
 * @throws {Error} saying what can be given
 */
export function parseFaults(text: string): Fault[] {
	return text
		.split(',')
		.map((part) => part.trim())
		.filter((part) => part !== '')
		.map(parseFault);
}

function parseFault(text: string): Fault {
	const [, word = '', value, at, after, times] = NOTATION.exec(text) ?? [];
	if (!Object.hasOwn(FAULT_SORTS, word)) {
		const kinds = Object.keys(FAULT_SORTS).join(', ');
		throw new Error(
			`"${text}" is not a fault: give kind[=value][@where][+after][*times] with one of ${kinds}.`,
		);
	}
	const kind = word as FaultKind;
	refuseOtherPlaces(kind, at);
	return {
		kind,
		...readValue(kind, value),
		...(at === undefined ? {} : { at }),
		...(after === undefined ? {} : { after: Number(after) }),
		...(times === undefined ? {} : { times: Number(times) }),
	};
}

function refuseOtherPlaces(kind: FaultKind, at: string | undefined): void {
	const { target } = FAULT_SORTS[kind];
	// Tasks can have any name.
	if (at === undefined || target === 'work') return;
	const places: readonly string[] = target === 'request' ? ENDPOINTS : CALLBACK_KINDS;
	if (places.includes(at)) return;
	throw new Error(
		`The fault ${kind} cannot be limited to "${at}": give one of ${places.join(', ')}.`,
	);
}

function readValue(kind: FaultKind, text: string | undefined): Pick<Fault, 'value' | 'upTo'> {
	const { value: unit, fallback }: FaultSort = FAULT_SORTS[kind];
	if (text === undefined) return fallback === undefined ? {} : { value: fallback };
	if (unit === undefined)
		throw new Error(`The fault ${kind} takes no value; write it without "=${text}".`);
	const [, amount, scale] = (unit === 'bytes' ? SIZE.exec(text) : null) ?? [];
	if (amount !== undefined) {
		const factor = { kb: 1024, mb: 1024 ** 2 }[scale?.toLowerCase() ?? ''] ?? 1;
		return { value: Number(amount) * factor };
	}
	const [, least, most] = NUMBER.exec(text) ?? [];
	const takesRange = unit === 'milliseconds';
	if (least === undefined || unit === 'bytes' || (most !== undefined && !takesRange)) {
		throw new Error(`The fault ${kind} cannot have the value "${text}": give it in ${unit}.`);
	}
	return { value: Number(least), ...(most === undefined ? {} : { upTo: Number(most) }) };
}

/** The value of a fault; if it is random, a new one each time. */
export function amountOf({ kind, value, upTo }: Fault): number {
	const { fallback = 0 }: FaultSort = FAULT_SORTS[kind];
	const least = value ?? fallback;
	return upTo === undefined ? least : least + Math.random() * Math.max(0, upTo - least);
}
