import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { pause } from '../api/pause';
import { parseUrl } from '../model/baseUrl';
import { own } from '../model/json';
import { rememberPace } from './look';
import { addQuery } from './resumeUrl';

/** Milliseconds: n8n has usually stored the execution by the first, under load by one of the next. */
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000];
const TIMEOUT = 30_000;

interface WakeUp {
	resumeUrl: string;
	waitId: string;
	/** Of the crew, where it is worth remembering that it ended quickly. */
	baseUrl?: string;
}

/**
 * Calls the resume URL a moment after parking, once n8n takes it. A crew that ended between the last
 * look and the moment when n8n had stored the execution called in vain: this call has the node ask
 * for its status. It runs beside the execution, makes five tries at most, and never rejects.
 */
export async function wakeUpOnce(
	context: IExecuteFunctions | IWebhookFunctions,
	{ resumeUrl, waitId, baseUrl }: WakeUp,
): Promise<void> {
	let reason: string | undefined;
	for (const milliseconds of PAUSES) {
		await pause(milliseconds);
		try {
			const url = addQuery(resumeUrl, { callback: 'look', wait: waitId });
			const answer = await callOwnWebhook(context, url);
			const status = Number(own(answer, 'statusCode'));
			const body = own(answer, 'body');
			// 409: not stored yet, or already over. Other refusals: n8n could not look into it just now.
			reason = status < 300 || status === 409 ? undefined : `HTTP ${status}`;
			// Unsure: the crew could not be asked.
			if (status >= 300 || own(body, 'unsure') === true) continue;
			if (own(body, 'ended') === true && baseUrl !== undefined) rememberPace(baseUrl, 'quick');
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
	});
}
