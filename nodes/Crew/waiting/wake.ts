import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { own } from '../model/json';
import { leadsElsewhere, withQuery } from '../model/url';

/** A part of n8n that can send requests and write its log. */
type Caller = Pick<IExecuteFunctions | IWebhookFunctions, 'helpers' | 'logger'>;

/**
 * The outcome of a call of a waiting execution's resume URL:
 * - `heard`: the node has ended the wait, or goes on waiting,
 * - `over`: there is nothing left to end, at least not here,
 * - `running`: n8n has not stored the execution yet, or has continued it,
 * - `unheard`: n8n could not be reached, or could not handle the call.
 */
export type WakeAnswer = 'heard' | 'over' | 'running' | 'unheard';

/** The mark of our own calls, instead of the kind of a crew's callback. */
export const WAKE_MARK = 'wake';

/** Milliseconds that n8n may take to answer its own call. */
const ANSWER_TIME = 30_000;

/** Calls the resume URL, so that the execution continues if there is nothing left to wait for. Never rejects. */
export async function wake(
	{ helpers, logger }: Caller,
	resumeUrl: string,
	waitId: string,
	timeout = ANSWER_TIME,
): Promise<WakeAnswer> {
	const url = withQuery(resumeUrl, { callback: WAKE_MARK, wait: waitId });
	try {
		const answer: unknown = await helpers.httpRequest({
			method: 'POST',
			url,
			body: { wake: true },
			json: true,
			timeout,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
		return readAnswer(url, answer);
	} catch (error) {
		const { origin } = new URL(url);
		const { message: reason } = error as Error;
		logger.debug('n8n did not take a call of its own webhook address', { origin, reason });
		return 'unheard';
	}
}

/** @throws if n8n could not handle the call */
function readAnswer(url: string, answer: unknown): WakeAnswer {
	const status = Number(own(answer, 'statusCode'));
	const body = own(answer, 'body');
	const message = String(own(body, 'message'));
	const isHeard = own(body, 'ended') === true || own(body, 'waiting') === true;
	if (status < 300) return isHeard ? 'heard' : 'over';
	if (status === 409) return message.includes('running') ? 'running' : 'over';
	// n8n 2 fails this way for an execution that the editor has started and n8n has not stored yet.
	if (status === 500 && message.includes('resumeToken')) return 'running';
	const isOver =
		status === 401 ||
		(status === 404 && /\bexecution\b/.test(message)) ||
		(status < 400 && leadsElsewhere(url, own(own(answer, 'headers'), 'location')));
	if (isOver) return 'over';
	throw new Error(`HTTP ${status}`);
}

/** Whether n8n can call itself, and how long that is remembered, by the origin of its webhooks. */
const known = new Map<string, { canCall: boolean; until: number }>();

/**
 * Whether n8n can call the resume URL of this execution. The execution must be running, and n8n
 * answers that. The result is remembered for some minutes.
 */
export async function canWake(caller: Caller, resumeUrl: string): Promise<boolean> {
	const { origin } = new URL(resumeUrl);
	const before = known.get(origin);
	if (before && performance.now() < before.until) return before.canCall;
	const canCall = (await wake(caller, resumeUrl, '', 5_000)) === 'running';
	if (!canCall) caller.logger.warn('n8n cannot call its own webhook address', { origin });
	known.set(origin, { canCall, until: performance.now() + (canCall ? 300_000 : 60_000) });
	return canCall;
}

/** Whether it is known that n8n cannot call itself there. */
export function isAlone(resumeUrl: string): boolean {
	return known.get(new URL(resumeUrl).origin)?.canCall === false;
}
