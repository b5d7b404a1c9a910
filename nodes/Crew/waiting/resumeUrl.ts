import type { IExecuteFunctions, IWebhookDescription, IWebhookFunctions } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import { withQuery } from '../model/url';
import { answeredWebhook } from '../n8n/webhook';

/** Our path below n8n's resume URL, so that a late callback does not wake another waiting node. */
const RESUME_PATH = 'crew';

/** A path below n8n's signed resume URL, which exists while an execution waits and is not registered anywhere. */
export const resumeWebhooks: IWebhookDescription[] = [
	{ ...answeredWebhook(RESUME_PATH), restartWebhook: true, isFullPath: true },
];

/** n8n's signed URL that wakes this execution while a Crew node has put it to wait. */
export function readResumeUrl(context: IExecuteFunctions | IWebhookFunctions): string {
	const url = new URL(context.evaluateExpression('{{ $execution.resumeUrl }}', 0) as string);
	url.pathname += `/${RESUME_PATH}`;
	return url.href;
}

/**
 * The callback fields that wake the execution for one item, whose kickoff ID is not known yet.
 *
 * @param waitId distinguishes this wait from earlier ones of the same execution, whose callbacks may repeat
 * @param failureEvents whether to subscribe to the crew's failure, which no other callback reports
 */
export function wakingCallbacks(
	resumeUrl: string,
	waitId: string,
	itemIndex: number,
	failureEvents: boolean,
): CallbackFields {
	const url = (kind: string) =>
		withQuery(resumeUrl, { callback: kind, wait: waitId, item: itemIndex });
	const events = ['crew_kickoff_failed'];
	return {
		crewWebhookUrl: url('crew'),
		humanInputWebhook: { url: url('human_input') },
		humanInputWebhookUrl: url('human_input'),
		...(failureEvents ? { webhooks: { events, url: url('stream'), realtime: true } } : {}),
	};
}
