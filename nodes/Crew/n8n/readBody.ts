import type { IWebhookFunctions } from 'n8n-workflow';
import { own, structured } from '../model/json';

/**
 * {@link readBody}, also for a body that n8n has not read yet: for a node with a type version above 1,
 * n8n reads only what it can parse itself, and a crew may label its JSON as anything.
 */
export async function readUnreadBody(context: IWebhookFunctions): Promise<unknown> {
	const request: Partial<WebhookRequest> = context.getRequestObject();
	try {
		if (request.rawBody === undefined) await request.readRawBody?.();
	} catch {
		// Larger than n8n accepts, ended too early, or a form, which n8n has read in another way.
		return undefined;
	}
	return readBody(context);
}

/** What n8n adds to the request of express. */
interface WebhookRequest {
	rawBody: unknown;
	readRawBody(): Promise<void>;
}

/**
 * The JSON object or array in the body of a request, whatever its label: n8n parses only what is
 * labeled exactly `application/json`.
 *
 * @returns `undefined` if the body has neither, or too much to read
 */
export function readBody(context: IWebhookFunctions): unknown {
	const raw = own(context.getRequestObject(), 'rawBody');
	return Buffer.isBuffer(raw) ? structured(raw.toString('utf8')) : undefined;
}
