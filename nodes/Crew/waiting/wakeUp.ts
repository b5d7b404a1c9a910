import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { pause } from '../api/pause';
import { parseUrl } from '../model/baseUrl';
import { own } from '../model/json';
import { addQuery } from './resumeUrl';
import { recall } from './waitMemory';

/**
 * Milliseconds: n8n has stored the execution by the first, under load by one of the next, and the
 * status of a crew that ended meanwhile says so.
 */
const PAUSES = [1_500, 1_000, 2_000, 4_000, 8_000] as const;
const TIMEOUT = 30_000;

interface WakeUp {
	resumeUrl: string;
	waitId: string;
	/** Milliseconds until the first call, where it may well come later than usual. */
	lookAfter?: number;
}

/**
 * Calls the resume URL a moment after parking, once n8n takes it. A crew that ended before n8n had
 * stored the execution called in vain: this call has the node ask for its status. It runs beside the
 * execution, makes five tries at most, and never rejects. Once the wait has ended it calls nobody.
 */
export async function wakeUpOnce(
	context: IExecuteFunctions | IWebhookFunctions,
	{ resumeUrl, waitId, lookAfter = 0 }: WakeUp,
): Promise<void> {
	let reason: string | undefined;
	const [firstPause, ...pauses] = PAUSES;
	for (const milliseconds of [Math.max(firstPause, lookAfter), ...pauses]) {
		await pause(milliseconds);
		if (Date.now() < recall(waitId).endingUntil) return;
		try {
			const url = addQuery(resumeUrl, { callback: 'look', wait: waitId });
			const answer = await callOwnWebhook(context, url);
			const status = Number(own(answer, 'statusCode'));
			const body = own(answer, 'body');
			// Another node waits by now: n8n redirects to a form, and knows no such path at others.
			if (status >= 300 && status < 400 && leadsElsewhere(url, answer)) return;
			if (status === 404 && isAboutExecution(body)) return;
			// 409: not stored yet, or already over. Other refusals: n8n could not look into it just now.
			reason = status < 300 || status === 409 ? undefined : `HTTP ${status}`;
			// Unsure: the crew could not be asked.
			if (status >= 300 || own(body, 'unsure') === true) continue;
			return;
		} catch (error) {
			reason = (error as Error).message;
		}
	}
	if (reason === undefined) return;
	context.logger.warn(
		'n8n cannot call its own webhook address: a crew that ended just when its execution was parked is noticed at the time limit only',
		{ origin: parseUrl(resumeUrl)?.origin, reason },
	);
}

/** Whether a redirect leads to another path: a proxy keeps the path, and changes http to https. */
function leadsElsewhere(url: string, answer: unknown): boolean {
	const location = own(own(answer, 'headers'), 'location');
	const target = typeof location === 'string' ? parseUrl(location, url) : undefined;
	return target?.pathname !== parseUrl(url)?.pathname;
}

/** Whether it was n8n that answered, and not a server to which its address leads by mistake. */
function isAboutExecution(body: unknown): boolean {
	return /\bexecution\b/.test(String(own(body, 'message')));
}

async function callOwnWebhook(
	{ helpers }: IExecuteFunctions | IWebhookFunctions,
	url: string,
): Promise<unknown> {
	return await helpers.httpRequest({
		method: 'POST',
		url,
		body: { look: true },
		json: true,
		timeout: TIMEOUT,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	});
}
