import type { IWebhookFunctions } from 'n8n-workflow';

/** Only the parts of n8n that a reader needs. */
export function asContext(parts: Record<string, unknown>): IWebhookFunctions {
	return parts as unknown as IWebhookFunctions;
}
