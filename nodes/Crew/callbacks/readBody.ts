import type { IWebhookFunctions } from 'n8n-workflow';
import { isRecord, own, parseJson } from '../model/json';

/**
 * The JSON object or array in the body of a request. n8n parses a body by its content type only:
 * what a sender labelled otherwise is read here.
 *
 * @returns `undefined` where the body holds neither
 */
export function readBody(context: IWebhookFunctions): unknown {
	const parsed: unknown = context.getBodyData();
	const raw = own(context.getRequestObject(), 'rawBody');
	const body = Buffer.isBuffer(raw) && raw.length > 0 ? parseJson(raw.toString('utf8')) : parsed;
	return isRecord(body) || Array.isArray(body) ? body : undefined;
}
