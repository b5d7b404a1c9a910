import { readErrorBody } from '../model/errorBody';
import { defined, isTooMuchText, own } from '../model/json';
import { parseUrl } from '../model/url';
import type { Outcome } from '../pacing/concurrencyLimiter';
import type { CrewResponse } from './exchange';

/** A request that did not succeed: `message` says what happened. */
export class CrewApiError extends Error {
	override readonly name = 'CrewApiError';
	/** What to do now, for the person who runs the workflow. */
	readonly description: string = '';
	/** The status code, if the server answered. */
	readonly httpCode?: number;
	/** Whether the server may have acted on the request all the same. */
	readonly mayHaveArrived: boolean = false;
	/** Whether the same request may succeed a moment later. */
	readonly transient: boolean = false;
	/** Milliseconds that the server asked to wait before the next request. */
	readonly retryAfter?: number;
	/** Whether something in front of the crew answered instead of it: a proxy's page, a redirect. */
	readonly isStandIn: boolean = false;
	/** What it says about how many requests the crew can take. */
	readonly outcome: Outcome['kind'] = 'ignored';
	/** Names of the missing inputs because of which the crew refused a kickoff. */
	readonly missingInputs: readonly string[] = [];

	constructor(message: string, details: Partial<CrewApiError> & { description: string }) {
		super(message);
		Object.assign(this, defined({ ...details }));
	}
}

/** What the request was for, on which the messages depend. */
export type Subject = 'inputs' | 'kickoff' | 'status' | 'resume' | 'stop';

type Text = readonly [message: string, description: string];

const NO_CREW: Text = [
	'No crew answers at this address',
	'Copy the base URL from the crew’s dashboard, or from what the crew server printed, into the Crew API credential, without a path of its API such as /kickoff.',
];

const NOT_FOUND: Record<Subject, Text> = {
	inputs: NO_CREW,
	kickoff: NO_CREW,
	status: [
		'The crew has no execution with this kickoff ID',
		'Use the kickoff_id that Kickoff returned, with the credential of the same crew.',
	],
	resume: [
		'The crew has no such execution or task',
		'Use the kickoff_id and the task_id of the item that asked for human input, with the credential of the same crew.',
	],
	stop: [
		'The crew has no execution with this kickoff ID',
		'Use the kickoff_id that Kickoff returned, with the credential of the same crew. A deployment without a stop endpoint answers this way too.',
	],
};

const NOT_ACCEPTED: Record<Subject, Text> = {
	inputs: ['The crew did not accept the request', 'Check the base URL in the Crew API credential.'],
	kickoff: [
		'The crew did not accept the inputs',
		'Compare them with what the operation Get Inputs lists.',
	],
	status: ['The crew did not accept the kickoff ID', 'Use the kickoff_id that Kickoff returned.'],
	resume: [
		'The execution cannot be resumed',
		'Resume works once per question, while the execution is waiting for human input. Check its status.',
	],
	stop: [
		'The execution cannot be stopped',
		'Only executions that have not ended can be stopped. Check its status.',
	],
};

/** By status code, whatever was asked for. */
const FIXED: Readonly<Record<number, Text>> = {
	401: [
		'The crew did not accept the access token',
		'Copy the token from the Status tab of the crew’s dashboard, or from what the crew server printed, into the Crew API credential.',
	],
	403: [
		'The access token has no permission for this',
		'A User Bearer Token has limited permissions: try the crew’s Bearer Token in the Crew API credential.',
	],
	429: [
		'The crew receives too many requests',
		"Wait a while and try again, with a lower 'Max Parallel Requests'.",
	],
};

/** The error for an answer that is not a success, or cannot be read. */
export function refusal(subject: Subject, response: CrewResponse): CrewApiError {
	const { status, headers, text } = response;
	if (status >= 200 && status < 300) return unreadable(response);
	if (status >= 300 && status < 400) return redirected(response);
	const isOfValues = status === 400 || status === 422;
	const isPage = /^\s*</.test(text);
	const sent = response.body ?? (isOfValues && !isPage ? text : undefined);
	const { message: said, missingInputs: missing } = readErrorBody(sent);
	const missingInputs = subject === 'kickoff' && isOfValues ? missing : [];
	const [message, advice] = textFor(subject, status, missingInputs);
	const isOverload = status === 429;
	const mayHaveArrived = isBroken(status);
	const transient = isOverload || mayHaveArrived;
	const retryAfter = transient ? readRetryAfter(own(headers, 'retry-after')) : undefined;
	// n8n's panel shows all of a description on one line: what a server says ends before our advice.
	const quote = said && `The crew says: ${shorten(said).replace(/(?<![.!?…])$/, '.')}`;
	return new CrewApiError(message, {
		description: [quote, advice, tellPause(retryAfter)].filter(Boolean).join('\n'),
		httpCode: status,
		mayHaveArrived,
		transient,
		retryAfter,
		isStandIn: status === 404 && response.body === undefined,
		...(transient ? { outcome: isOverload ? 'refused' : 'failed' } : {}),
		missingInputs,
	});
}

/** Whether a server with this status may have started what was asked. */
function isBroken(status: number): boolean {
	return status >= 500 || status === 408;
}

function textFor(subject: Subject, status: number, missingInputs: string[]): Text {
	const fixed = FIXED[status];
	if (fixed) return fixed;
	if (status === 404) return NOT_FOUND[subject];
	if (missingInputs.length > 0) {
		return [
			`Required inputs are missing: ${shorten(missingInputs.join(', '))}`,
			"Fill in these inputs under 'Inputs' of this node. The operation Get Inputs lists all that the crew expects.",
		];
	}
	if (status === 422) return ['The crew did not accept the values', NOT_ACCEPTED[subject][1]];
	if (status === 400) return NOT_ACCEPTED[subject];
	if (isBroken(status)) {
		return [
			`The crew’s server could not answer (HTTP ${status})`,
			`${subject === 'status' ? 'If this goes on, the run itself may have failed. ' : ''}The deployment may be asleep, starting or overloaded. Look at the crew’s dashboard or log, and try again.`,
		];
	}
	return [
		`The crew refused the request (HTTP ${status})`,
		'Check the base URL in the Crew API credential and the values of this node.',
	];
}

function redirected({ status, headers }: CrewResponse): CrewApiError {
	const location = own(headers, 'location');
	const target = typeof location === 'string' ? parseUrl(location) : undefined;
	const isAddress = target !== undefined && /^https?:$/.test(target.protocol);
	const destination = isAddress ? shorten(target.origin + target.pathname) : 'another address';
	return new CrewApiError(`The address leads elsewhere (HTTP ${status})`, {
		httpCode: status,
		// With these, a server has done nothing yet; other redirects may lead to the result of the request.
		mayHaveArrived: ![307, 308].includes(status),
		isStandIn: true,
		description: `It leads to ${destination}.\nRedirects are not followed, since the access token would go along. If that is the crew, enter that address as the base URL in the Crew API credential.`,
	});
}

/** The error for a success whose body is not a crew's answer. */
export function unreadable({ status, text }: CrewResponse): CrewApiError {
	const details = { httpCode: status, mayHaveArrived: true };
	if (isTooMuchText(text)) {
		return new CrewApiError('The crew’s answer contains more values than n8n reads', {
			...details,
			description:
				'n8n reads up to a million values, nested up to 500 levels deep. Make the crew return less, or return it as one text.',
		});
	}
	const isPage = /^\s*(<!doctype|<html|<head|<body)/i.test(text);
	const nothing = text.trim() === '' ? 'nothing' : 'something else';
	const what = isPage ? 'a web page' : nothing;
	return new CrewApiError(`What answers at this address is not a crew: it sent ${what}`, {
		...details,
		isStandIn: true,
		description:
			'Copy the base URL from the crew’s dashboard, or from what the crew server printed, into the Crew API credential. A proxy or a login page in front of the crew answers like this too.',
	});
}

/** Limits how much of a server's text is shown. */
export function shorten(text: string, length = 500): string {
	return text.length > length ? `${text.slice(0, length)} …` : text;
}

/**
 * Reads the header `Retry-After`: seconds, or an HTTP date.
 *
 * @returns milliseconds from `now` on, `undefined` for anything else
 */
export function readRetryAfter(value: unknown, now = Date.now()): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Date.parse accepts nearly anything with a number in it; an HTTP date ends in GMT.
	const date = / GMT$/.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A sentence about how long the server asked to wait; `undefined` if it did not say. */
export function tellPause(retryAfter: number | undefined): string | undefined {
	if (retryAfter === undefined || !Number.isFinite(retryAfter)) return undefined;
	return `It asked to wait ${Math.ceil(retryAfter / 1000)} s before the next request.`;
}
