import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import type { CrewCredential } from '../api/send';
import { asText, parseJson } from '../model/json';
import { isNobody, readChoice, toCallbackFields, urlsOf, type CallbackChoice } from './choice';
import { checkUrl, readCustomUrls } from './customUrls';

/** What is sent about callbacks for one item, and what its item carries on for a later Resume. */
export interface ChosenCallbacks {
	fields: CallbackFields;
	/** As the items' field `callbacks`; absent where nobody is told. */
	carried: { callbacks?: CallbackChoice & Record<string, string | string[]> };
}

/**
 * Reads whom the crew is to call for one item: those that the user chose, and this node where it
 * waits.
 *
 * @param waking the fields that wake the parked execution; none where it is not parked
 * @throws NodeOperationError where a URL cannot be called, or the crew would have to call two places
 * for the same
 */
export function readCallbacks(
	context: IExecuteFunctions,
	{ callbackSecret = '' }: CrewCredential,
	itemIndex: number,
	waking: CallbackFields,
): ChosenCallbacks {
	const chosenBy = context.getNodeParameter('callbacks', itemIndex, 'none') as string;
	const choice = readChosen(context, chosenBy, itemIndex);
	const fields = toCallbackFields(choice, callbackSecret);
	// What was chosen for an earlier request gives way to this node; what was chosen for this one does not.
	if (chosenBy !== 'same') refuseTwice(context, fields, waking, itemIndex);
	return {
		fields: { ...fields, ...waking },
		carried: isNobody(choice) ? {} : { callbacks: { ...choice } },
	};
}

function readChosen(
	context: IExecuteFunctions,
	chosenBy: string,
	itemIndex: number,
): CallbackChoice {
	switch (chosenBy) {
		case 'custom':
			return readCustomUrls(context, itemIndex);
		case 'trigger':
			return readTrigger(context, itemIndex);
		case 'same':
			return readSame(context, itemIndex);
		default:
			return {};
	}
}

function readTrigger(context: IExecuteFunctions, itemIndex: number): CallbackChoice {
	// An expression may give anything.
	const url = asText(context.getNodeParameter('triggerUrl', itemIndex, '')) ?? '';
	const read = (option: string) => context.getNodeParameter(`options.${option}`, itemIndex, '');
	const choice = readChoice({
		triggerUrl: checkUrl(context, url, 'Trigger URL', itemIndex),
		triggerEvents: context.getNodeParameter('triggerEvents', itemIndex, ['crew', 'human_input']),
		streamEvents: read('streamEvents'),
		callbackAuthentication: read('callbackAuthentication'),
	});
	if (choice.triggerEvents?.length) return choice;
	throw new NodeOperationError(context.getNode(), 'Trigger Events is empty', {
		itemIndex,
		description:
			"Choose what the Crew Trigger is told, or set 'Callbacks' to 'None'. Nothing was sent for this item.",
	});
}

function readSame(context: IExecuteFunctions, itemIndex: number): CallbackChoice {
	const json: IDataObject = context.getInputData()[itemIndex]?.json ?? {};
	const value: unknown = context.getNodeParameter(
		'sameCallbacks',
		itemIndex,
		(json.callbacks as object | undefined) ?? '',
	);
	const choice = readChoice(typeof value === 'string' ? parseJson(value) : value);
	const strategy: unknown = context.getNodeParameter(
		'options.callbackAuthentication',
		itemIndex,
		'',
	);
	if (strategy === 'basic' && !isNobody(choice)) choice.callbackAuthentication = strategy;
	for (const url of urlsOf(choice)) checkUrl(context, url, 'Callbacks to Keep', itemIndex);
	return choice;
}

const SUBJECTS: Record<keyof CallbackFields, string> = {
	taskWebhookUrl: 'completed tasks',
	stepWebhookUrl: 'steps',
	crewWebhookUrl: 'its completion',
	humanInputWebhook: 'human input',
	webhooks: 'the event stream',
};

function refuseTwice(
	context: IExecuteFunctions,
	fields: CallbackFields,
	waking: CallbackFields,
	itemIndex: number,
): void {
	const names = Object.keys(SUBJECTS) as Array<keyof CallbackFields>;
	const twice = names.filter((name) => name in fields && name in waking);
	if (twice.length === 0) return;
	const subjects = twice.map((name) => SUBJECTS[name]).join(' and ');
	const hint = twice.includes('webhooks') ? " or switch off the option 'Failure Events'" : '';
	throw new NodeOperationError(
		context.getNode(),
		`The crew can call only one place for ${subjects}, and this node waits for that call itself`,
		{
			itemIndex,
			description: `Take it out of the callbacks of this node${hint}, or set 'Wait for the Crew' to 'No' or 'By Polling'. Nothing was sent for this item.`,
		},
	);
}
