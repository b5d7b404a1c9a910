import { NodeOperationError, type IExecuteFunctions, type IWebhookFunctions } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import { withMessage } from '../api/withMessage';
import { canReach, hostReach } from '../model/hostReach';

/** What ends a wait, as the event stream names it. */
const ENDING_EVENTS = ['crew_kickoff_completed', 'crew_kickoff_failed'];

/**
 * The path of our webhook below n8n's resume URL, which is one for all nodes of an execution: a late
 * callback must not wake another node that waits by then.
 */
export const RESUME_PATH = 'crew';

/** n8n's signed URL that wakes this execution while a Crew node has parked it. */
export function readResumeUrl(context: IExecuteFunctions | IWebhookFunctions): string {
	const url = new URL(context.evaluateExpression('{{ $execution.resumeUrl }}', 0) as string);
	url.pathname += `/${RESUME_PATH}`;
	return url.href;
}

/**
 * {@link readResumeUrl} for a crew to call.
 *
 * @throws NodeOperationError where the crew cannot reach it, before anything is sent to the crew
 */
export function readReachableResumeUrl(context: IExecuteFunctions, baseUrl: string): string {
	const resumeUrl = readResumeUrl(context);
	if (canReach(baseUrl, resumeUrl)) return resumeUrl;
	const { origin } = new URL(resumeUrl);
	const message = `The crew cannot call back: this n8n’s webhook address ${origin} is ${WHERE[hostReach(resumeUrl)]}`;
	const error = new NodeOperationError(context.getNode(), message, {
		description:
			"Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to an address of this n8n that the crew can reach, or set 'Wait for the Crew' to 'By Polling'. Nothing was started.",
	});
	throw withMessage(error, message);
}

const WHERE = {
	loopback: 'known to its own machine only',
	private: 'known in its own network only',
	public: 'public',
};

/**
 * The callback fields that wake the execution for one item. The kickoff ID is not known yet when
 * they are sent: the item's number takes its place.
 *
 * @param waitId tells this wait from earlier ones of the same execution, whose callbacks may repeat
 */
export function wakingCallbacks(
	resumeUrl: string,
	waitId: string,
	itemIndex: number,
	failureEvents: boolean,
): CallbackFields {
	const url = (kind: string) =>
		addQuery(resumeUrl, { callback: kind, wait: waitId, item: itemIndex });
	return {
		crewWebhookUrl: url('crew'),
		humanInputWebhook: { url: url('human_input') },
		...(failureEvents
			? { webhooks: { events: ENDING_EVENTS, url: url('stream'), realtime: true } }
			: {}),
	};
}

/** `url` with further query parameters; those it has stay as they are. */
export function addQuery(url: string, parameters: Record<string, string | number>): string {
	const extended = new URL(url);
	for (const [name, value] of Object.entries(parameters)) {
		extended.searchParams.set(name, String(value));
	}
	return extended.href;
}
