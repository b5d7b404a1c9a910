import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import type { Item } from '../n8n/item';
import { hint } from '../n8n/versions';
import type { CrewCredential } from '../n8n/send';
import { asciiUrl, callbackUrlProblem } from '../model/url';
import { asText, parseJson } from '../model/json';
import { URL_EXAMPLE, urlFields } from './callbackFields';
import { isNobody, readChoice, readTold, toCallbackFields, type CallbackChoice } from './choice';

/** The callback fields of one item's request, and what the item carries for a later Resume. */
export interface ChosenCallbacks {
	fields: CallbackFields;
	/** The item's field `callbacks`; absent if nobody is notified. */
	carried: { callbacks?: CallbackChoice & Record<string, string | string[]> };
}

/**
 * Reads who the crew should call for one item: what the user chose and, if this node waits, the node
 * itself for the rest.
 *
 * @param waking the fields that wake the waiting execution; none if it needs no callbacks
 * @param isStrict whether all of `waking` is needed
 * @throws NodeOperationError if a URL cannot be called, or the crew would have to call two places
 * for what is needed
 */
export function readCallbacks(
	item: Item,
	{ callbackSecret }: CrewCredential,
	waking: CallbackFields,
	isStrict: boolean,
): ChosenCallbacks {
	const choice = readChosen(item);
	const fields = toCallbackFields(choice, callbackSecret);
	if (isStrict) refuseTwice(item, fields, waking);
	return {
		fields: { ...waking, ...fields },
		carried: isNobody(choice) ? {} : { callbacks: { ...choice } },
	};
}

function readChosen(item: Item): CallbackChoice {
	switch (item.read('callbacks', 'none')) {
		case 'custom':
			return readChoice(item.read('callbackUrls', {}), (url, name) =>
				checkUrl(item, url, labelOf(name)),
			);
		case 'trigger':
			return readTrigger(item);
		case 'same':
			return readSame(item);
		default:
			return {};
	}
}

const labelOf = (name: string) =>
	urlFields.find((field) => field.name === name)?.displayName ?? name;

function readTrigger(item: Item): CallbackChoice {
	const triggerUrl = checkUrl(item, asText(item.read('triggerUrl', '')) ?? '', 'Trigger URL');
	const events = item.read('triggerEvents', ['crew', 'human_input']);
	const told = readTold(events, item.read('options.streamEvents', []));
	if (told.triggerEvents?.length) return { triggerUrl, ...told };
	throw item.error(
		'Trigger Events is empty',
		"Choose what the crew reports to the Crew Trigger, or set 'Callbacks' to 'None'. Nothing was sent for this item.",
	);
}

function readSame(item: Item): CallbackChoice {
	const value = item.read('sameCallbacks', item.json.callbacks ?? '');
	const choice = readChoice(typeof value === 'string' ? parseJson(value) : value, (url) =>
		checkUrl(item, url, 'Existing Callbacks'),
	);
	if (isNobody(choice)) hintAtNone(item.context);
	return choice;
}

/**
 * @returns the URL without spaces around it, in ASCII
 * @throws NodeOperationError with the field's name if the URL cannot be called
 */
function checkUrl(item: Item, url: string, displayName: string): string {
	const trimmed = url.trim();
	const problem = callbackUrlProblem(trimmed);
	if (problem === undefined) return asciiUrl(trimmed);
	const advice = `Enter an address such as ${URL_EXAMPLE}`;
	throw item.error(`${displayName} cannot be called: ${problem}`, advice);
}

const hinted = new WeakSet<IExecuteFunctions>();

/** Hints once per run that there is nothing to keep, in versions of n8n that have such hints. */
function hintAtNone(context: IExecuteFunctions): void {
	if (hinted.has(context)) return;
	hinted.add(context);
	const message =
		"There are no callbacks to keep, so the crew no longer reports its progress: drag the field callbacks of Kickoff or Crew Trigger to 'Existing Callbacks', or set 'Callbacks' to 'None'";
	hint(context, message);
}

const SUBJECTS: Record<keyof CallbackFields, string> = {
	taskWebhookUrl: 'completed tasks',
	stepWebhookUrl: 'steps',
	crewWebhookUrl: 'its completion',
	humanInputWebhook: 'human input',
	humanInputWebhookUrl: 'human input',
	webhooks: 'the event stream',
};

function refuseTwice(item: Item, fields: CallbackFields, waking: CallbackFields): void {
	const names = Object.keys(SUBJECTS) as Array<keyof CallbackFields>;
	const twice = names.filter((name) => name in fields && name in waking);
	if (twice.length === 0) return;
	const subjects = [...new Set(twice.map((name) => SUBJECTS[name]))].join(' and ');
	const areEvents = twice.includes('webhooks');
	const orEvents = areEvents ? " or turn off the option 'Subscribe to Failures'" : '';
	throw item.error(
		`The crew can call only one place for ${subjects}, and this node waits for that call itself`,
		`Take it out of the callbacks of this node${orEvents}, or set 'Detect Completion' to 'Automatically'. Nothing was sent for this item.`,
	);
}
