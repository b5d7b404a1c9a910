import type { IWebhookDescription } from 'n8n-workflow';
import { RESUME_PATH } from './resumeUrl';

/** A path below n8n's signed resume URL: it exists while an execution is parked and is registered nowhere. */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// Empty: the answer is what `webhook()` gives. n8n answers with the word "firstEntryJson" otherwise.
		responseData: '',
		path: RESUME_PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];
