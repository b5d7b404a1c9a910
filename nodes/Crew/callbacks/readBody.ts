import type { IWebhookFunctions } from 'n8n-workflow';
import { isRecord, isTooMuch, own, parseJson } from '../model/json';

/**
 * The JSON object or array in the body of a request. n8n parses what is labelled `application/json`,
 * exactly that: what a sender labelled otherwise is read here.
 *
 * @returns `undefined` where the body holds neither, or too much to read
 */
export function readBody(context: IWebhookFunctions): unknown {
	const [label] = (context.getHeaderData()['content-type'] ?? '').toLowerCase().split(';');
	const isParsed = label === 'application/json';
	const raw = own(context.getRequestObject(), 'rawBody');
	const body: unknown =
		isParsed || !Buffer.isBuffer(raw) ? context.getBodyData() : parseJson(raw.toString('utf8'));
	return (isRecord(body) || Array.isArray(body)) && !isTooMuch(body) ? body : undefined;
}
