import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { kindOfMark, readCallback, type CallbackEvent } from '../model/callback';
import { deliveryId } from './deliveryId';
import { readBody } from './readBody';

/**
 * Receives one callback request for the trigger: answers at once and starts one execution with an
 * item per chosen event, or none where no event was chosen.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const body = readBody(context);
	if (body === undefined) {
		return answer(context, 400, 'The body of a callback is a JSON object or list');
	}
	const { callback } = context.getQueryData() as { callback?: unknown };
	const events = readCallback(body, kindOfMark(callback)).filter(isChosen(context));
	if (events.length === 0) return { webhookResponse: { message: 'No event of interest' } };
	const receivedAt = new Date().toISOString();
	return await Promise.resolve({
		workflowData: [
			context.helpers.returnJsonArray(events.map((event) => toItem(event, receivedAt))),
		],
		webhookResponse: { message: 'Received' },
	});
}

/** No kind chosen means that everything is of interest, also what no kind is known for. */
function isChosen(context: IWebhookFunctions): (event: CallbackEvent) => boolean {
	const chosen = context.getNodeParameter('events', []) as string[];
	return ({ event }) => chosen.length === 0 || chosen.includes(event);
}

function toItem(event: CallbackEvent, receivedAt: string): IDataObject {
	return {
		...event,
		received_at: receivedAt,
		delivery_id: deliveryId(event),
	} as IDataObject;
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
