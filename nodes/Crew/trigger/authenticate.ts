import type { IWebhookFunctions } from 'n8n-workflow';
import type { CrewCredential } from '../n8n/send';
import { kindOfMark } from '../model/callback';
import { firstText } from '../model/json';
import { isSameToken, tokenFor } from '../callbacks/token';

/** Whether a callback is accepted: with a callback secret, only with the token for its kind. */
export function isAuthentic(
	context: IWebhookFunctions,
	{ callbackSecret = '' }: Pick<CrewCredential, 'callbackSecret'>,
): boolean {
	if (callbackSecret === '') return true;
	const query = context.getQueryData() as Record<string, unknown>;
	const kind = kindOfMark(query.callback);
	const [, bearer] = /^bearer +(\S+) *$/i.exec(context.getHeaderData().authorization ?? '') ?? [];
	const given = firstText(query, 'token') ?? bearer;
	if (kind === undefined || given === undefined) return false;
	const triggerUrl = context.getNodeWebhookUrl('default');
	return triggerUrl !== undefined && isSameToken(given, tokenFor(callbackSecret, kind, triggerUrl));
}
