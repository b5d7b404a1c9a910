import type { IWebhookFunctions } from 'n8n-workflow';

/** Of n8n only what a reader asks of it. */
export function asContext(parts: Record<string, unknown>): IWebhookFunctions {
	return parts as unknown as IWebhookFunctions;
}
