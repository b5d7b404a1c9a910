import type { IWebhookDescription } from 'n8n-workflow';

/** A webhook whose calls get the answer that the node's `webhook()` returns. */
export function answeredWebhook(path: string): IWebhookDescription {
	return {
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// Empty, since otherwise n8n answers with the word "firstEntryJson".
		responseData: '',
		path,
	};
}
