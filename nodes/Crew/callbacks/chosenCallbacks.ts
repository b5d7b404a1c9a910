import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import { hint } from '../n8n/versions';
import type { CrewCredential } from '../n8n/send';
import { asText, parseJson } from '../model/json';
import { isNobody, readChoice, toCallbackFields, withUrls, type CallbackChoice } from './choice';
import { checkUrl, displayNameOf } from './customUrls';

/** What is sent about callbacks for one item, and what its item carries on for a later Resume. */
export interface ChosenCallbacks {
	fields: CallbackFields;
	/** As the items' field `callbacks`; absent if nobody is told. */
	carried: { callbacks?: CallbackChoice & Record<string, string | string[]> };
}

/**
 * Reads whom the crew is to call for one item: those that the user chose, and this node for what is
 * left if it waits.
 *
 * @param waking the fields that wake the waiting execution; none if it needs no callbacks
 * @param isStrict whether all of `waking` is needed
 * @throws NodeOperationError if a URL cannot be called, or the crew would have to call two places
 * for what is needed
 */
export function readCallbacks(
	context: IExecuteFunctions,
	{ callbackSecret = '' }: CrewCredential,
	itemIndex: number,
	waking: CallbackFields,
	isStrict: boolean,
): ChosenCallbacks {
	const chosenBy = context.getNodeParameter('callbacks', itemIndex, 'none') as string;
	const choice = readChosen(context, chosenBy, itemIndex);
	const fields = toCallbackFields(choice, callbackSecret);
	if (isStrict) refuseTwice(context, fields, waking, itemIndex);
	return {
		fields: { ...waking, ...fields },
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
			return readCustom(context, itemIndex);
		case 'trigger':
			return readTrigger(context, itemIndex);
		case 'same':
			return readSame(context, itemIndex);
		default:
			return {};
	}
}

function readCustom(context: IExecuteFunctions, itemIndex: number): CallbackChoice {
	const entered: unknown = context.getNodeParameter('callbackUrls', itemIndex, {});
	return withUrls(readChoice(entered), (url, name) =>
		checkUrl(context, url, displayNameOf(name), itemIndex),
	);
}

function readTrigger(context: IExecuteFunctions, itemIndex: number): CallbackChoice {
	// An expression may give anything.
	const url = asText(context.getNodeParameter('triggerUrl', itemIndex, '')) ?? '';
	const choice = readChoice({
		triggerUrl: checkUrl(context, url, 'Trigger URL', itemIndex),
		triggerEvents: context.getNodeParameter('triggerEvents', itemIndex, ['crew', 'human_input']),
		streamEvents: context.getNodeParameter('options.streamEvents', itemIndex, []),
	});
	if (choice.triggerEvents?.length) return choice;
	throw new NodeOperationError(context.getNode(), 'Trigger Events is empty', {
		itemIndex,
		description:
			"Choose what the crew reports to the Crew Trigger, or set 'Callbacks' to 'None'. Nothing was sent for this item.",
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
	if (isNobody(choice)) hintAtNone(context);
	return withUrls(choice, (url) => checkUrl(context, url, 'Existing Callbacks', itemIndex));
}

const hinted = new WeakSet<IExecuteFunctions>();

/** Says once in a run that there is nothing to keep, in versions of n8n that have such hints. */
function hintAtNone(context: IExecuteFunctions): void {
	if (hinted.has(context)) return;
	hinted.add(context);
	hint(context, {
		message:
			"There are no callbacks to keep, so the crew no longer reports its progress: drag the field callbacks of Kickoff or Crew Trigger to 'Existing Callbacks', or set 'Callbacks' to 'None'",
	});
}

const SUBJECTS: Record<keyof CallbackFields, string> = {
	taskWebhookUrl: 'completed tasks',
	stepWebhookUrl: 'steps',
	crewWebhookUrl: 'its completion',
	humanInputWebhook: 'human input',
	humanInputWebhookUrl: 'human input',
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
	const subjects = [...new Set(twice.map((name) => SUBJECTS[name]))].join(' and ');
	const orEvents = twice.includes('webhooks')
		? " or switch off the option 'Subscribe to Failures'"
		: '';
	throw new NodeOperationError(
		context.getNode(),
		`The crew can call only one place for ${subjects}, and this node waits for that call itself`,
		{
			itemIndex,
			description: `Take it out of the callbacks of this node${orEvents}, or set 'Detect Completion' to 'Automatically'. Nothing was sent for this item.`,
		},
	);
}
