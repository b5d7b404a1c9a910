import type { IWebhookFunctions } from 'n8n-workflow';
import { isRecord, isTooMuch, own, parseJson } from '../model/json';

/**
 * {@link readBody}, also for a body that n8n has not read yet: for a node with a type version above 1,
 * n8n reads only what it can parse itself, and a crew may label its JSON as anything.
 */
export async function readUnreadBody(context: IWebhookFunctions): Promise<unknown> {
	const request: Partial<WebhookRequest> = context.getRequestObject();
	const isForm = request.contentType?.startsWith('multipart/') === true;
	try {
		if (!isForm && request.rawBody === undefined) await request.readRawBody?.();
	} catch {
		// Larger than n8n accepts, or ended too early.
		return undefined;
	}
	return readBody(context);
}

/** What n8n adds to the request of express. */
interface WebhookRequest {
	contentType?: string;
	rawBody: unknown;
	readRawBody(): Promise<void>;
}

/**
 * The JSON object or array in the body of a request. n8n parses only what is labeled exactly
 * `application/json`: anything else is read here.
 *
 * @returns `undefined` if the body has neither, or too much to read
 */
export function readBody(context: IWebhookFunctions): unknown {
	const [label] = (context.getHeaderData()['content-type'] ?? '').toLowerCase().split(';');
	const isParsed = label === 'application/json';
	const raw = own(context.getRequestObject(), 'rawBody');
	const body: unknown =
		isParsed || !Buffer.isBuffer(raw) ? context.getBodyData() : parseJson(raw.toString('utf8'));
	return (isRecord(body) || Array.isArray(body)) && !isTooMuch(body) ? body : undefined;
}
