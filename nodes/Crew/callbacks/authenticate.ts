import type { IWebhookFunctions } from 'n8n-workflow';
import type { CrewCredential } from '../api/send';
import { kindOfMark } from '../model/callback';
import { firstText } from '../model/json';
import { isSameToken, tokenFor } from './token';

/** Whether a callback may come in: with a callback secret, only with the token for its kind. */
export function isAuthentic(
	context: IWebhookFunctions,
	{ callbackSecret = '' }: Pick<CrewCredential, 'callbackSecret'>,
): boolean {
	if (callbackSecret === '') return true;
	const query = context.getQueryData() as Record<string, unknown>;
	const kind = kindOfMark(query.callback);
	const given = firstText(query, 'token') ?? readHeader(context.getHeaderData().authorization);
	if (kind === undefined || given === undefined) return false;
	const triggerUrl = context.getNodeWebhookUrl('default');
	return triggerUrl !== undefined && isSameToken(given, tokenFor(callbackSecret, kind, triggerUrl));
}

/** The token of `Bearer <token>`, or the password of `Basic <base64 of name:password>`. */
function readHeader(header: string | undefined): string | undefined {
	const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+) *$/i.exec(header ?? '') ?? [];
	if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value;
	const pair = Buffer.from(value, 'base64').toString('utf8');
	return pair.slice(pair.indexOf(':') + 1);
}
