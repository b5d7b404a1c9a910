import type { CallbackTargets } from '../domain/targets';
import type { Aspects } from './aspects';
import { HttpError } from './httpError';

/**
 * The callback targets among the fields of a body, in a new object. A question is sent once, preferably to the target
 * that asks for authentication, unless the deployment sends it to both or always to the plain URL.
 *
 * @throws {HttpError} if one of them can never be called
 */
export function targetsOf(
	body: CallbackTargets,
	{ questions, steps }: Pick<Aspects, 'questions' | 'steps'>,
): CallbackTargets {
	const { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhookUrl, webhooks } = body;
	refuseUnsendable({ taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhookUrl });
	for (const name of ['humanInputWebhook', 'webhooks'] as const) {
		const { url, authentication } = body[name] ?? {};
		refuseUnsendable({ [`${name}.url`]: url });
		if (authentication?.strategy === 'bearer' && !isHeader(authentication.token)) {
			refuse(`${name}.authentication.token`, 'has characters that no header can have');
		}
	}
	const humanInputWebhook = questions === 'url' ? undefined : body.humanInputWebhook;
	const takesUrl = questions !== 'object' || humanInputWebhook === undefined;
	return {
		taskWebhookUrl,
		stepWebhookUrl,
		...(steps === 'tools' ? { stepsOfTools: true } : {}),
		crewWebhookUrl,
		humanInputWebhook,
		...(takesUrl ? { humanInputWebhookUrl } : {}),
		webhooks,
	};
}

/** Tells the client at once if a target could never be called. */
function refuseUnsendable(urls: Record<string, string | undefined>): void {
	for (const [field, url] of Object.entries(urls)) {
		if (url !== undefined && !URL.canParse(url)) refuse(field, 'is no URL that can be called');
	}
}

function isHeader(text: string): boolean {
	return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

function refuse(field: string, message: string): never {
	throw new HttpError(400, `Invalid input format: ${field} ${message}`, [
		{ path: ['body', ...field.split('.')], message, isMissing: false },
	]);
}
