import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import type { CrewCredential } from '../n8n/send';
import { readSecret } from '../model/accessToken';
import { kindOfMark, readCallback, type CallbackEvent } from '../model/callback';
import { defined, firstText, own } from '../model/json';
import { choiceOfUrl, kindsIn, type CallbackChoice } from '../callbacks/choice';
import { isSameToken, tokenFor } from '../callbacks/token';
import { confirmWithCrew } from './confirmWithCrew';
import { readUnreadBody } from '../n8n/readBody';
import { deliveryId, withoutRepeats } from './repeats';
import { isChosen, readKinds, splitOrJoin } from './triggerEvents';

/** Each event becomes an item. n8n accepts bodies of 16 MB, which can contain millions of empty events. */
const MOST_EVENTS = 10_000;

/** The answers to callbacks that the crew does not confirm. */
const UNCONFIRMED = {
	unknown: [403, 'The crew has no such execution'],
	unreachable: [503, 'The crew could not be asked about this execution: try again later'],
} as const;

/**
 * Receives one callback request for the trigger. Starts one execution with an item per chosen event,
 * or none if no event was chosen or the request is refused. Throws only in the editor: otherwise, n8n
 * would store a failed execution for each request, no matter who sends it.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (context.getMode() === 'manual') return await lookInto(context);
	try {
		return await lookInto(context);
	} catch (error) {
		const { name } = context.getNode();
		const { message: reason } = error as Error;
		context.logger.error(`${name} cannot check callbacks: ${reason}`);
		return answer(context, 503, 'This callback cannot be checked now: try again later');
	}
}

async function lookInto(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// The credential is not needed if neither secret nor confirmation is wanted.
	const { crewApi } = context.getNode().credentials ?? {};
	const credential = crewApi && (await context.getCredentials<CrewCredential>('crewApi'));
	const secret = credential ? readSecret(credential.callbackSecret) : '';
	if (!isAuthentic(context, secret)) {
		const { name } = context.getNode();
		context.logger.info(`${name} refused a callback without the right token`);
		return answer(context, 401, 'The token of this callback URL is missing or not valid');
	}
	const body = await readUnreadBody(context);
	if (body === undefined) {
		return answer(context, 400, 'The body of a callback must be a JSON object or list');
	}
	const { callback } = context.getQueryData() as { callback?: unknown };
	const told = readCallback(body, kindOfMark(callback));
	if (told.length > MOST_EVENTS) {
		return answer(context, 413, `A callback holds up to ${MOST_EVENTS} events`);
	}
	const events = told.filter(isChosen(context));
	if (events.length === 0) return { webhookResponse: { message: 'No event of interest' } };
	const confirmation = await confirmWithCrew(context, events, secret !== '');
	if (confirmation !== 'known') {
		const [status, message] = UNCONFIRMED[confirmation];
		return answer(context, status, message);
	}
	// In the editor, people try the same callback again and again.
	const fresh = context.getMode() === 'manual' ? events : withoutRepeats(context, events);
	if (fresh.length === 0) return { webhookResponse: { message: 'Received before' } };
	return start(context, fresh);
}

/** Whether a callback is accepted: with a callback secret, only with the token for its kind. */
export function isAuthentic(context: IWebhookFunctions, secret: string): boolean {
	if (secret === '') return true;
	const query = context.getQueryData() as Record<string, unknown>;
	const kind = kindOfMark(query.callback);
	const [, bearer] = /^bearer +(\S+) *$/i.exec(context.getHeaderData().authorization ?? '') ?? [];
	const given = firstText(query, 'token') ?? bearer;
	if (kind === undefined || given === undefined) return false;
	const triggerUrl = context.getNodeWebhookUrl('default');
	return triggerUrl !== undefined && isSameToken(given, tokenFor(secret, kind, triggerUrl));
}

function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

function start(context: IWebhookFunctions, events: CallbackEvent[]): IWebhookResponseData {
	const receivedAt = new Date().toISOString();
	const callbacks = readOwnChoice(context);
	const items = splitOrJoin(context, events).map((item) => {
		// The fields that distinguish items come first, so that the editor's table shows them.
		const { event, type, kickoff_id, ...fields } = item;
		const received = { received_at: receivedAt, delivery_id: deliveryId(item), callbacks };
		return defined({ event, type, kickoff_id, ...fields, ...received }) as unknown as IDataObject;
	});
	return {
		// Not with n8n's helper, which would take a field `json` of the payload as the whole item.
		workflowData: [items.map((json): INodeExecutionData => ({ json }))],
		webhookResponse: { message: 'Received' },
	};
}

/** What a Resume after this trigger sends to the crew, so that it keeps calling the trigger. */
function readOwnChoice(context: IWebhookFunctions): CallbackChoice {
	const query: unknown = context.getQueryData();
	const triggerUrl = context.getNodeWebhookUrl('default') ?? '';
	const chosen = readKinds(context);
	// A trigger for everything continues with what matters to people.
	const kinds = chosen.length > 0 ? chosen : ['crew', 'human_input', own(query, 'callback')];
	return { triggerUrl, ...(choiceOfUrl(query) ?? { triggerEvents: kindsIn(kinds) }) };
}
