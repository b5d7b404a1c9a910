import type { INodeProperties } from 'n8n-workflow';
import { asciiUrl, callbackUrlProblem } from '../model/baseUrl';
import type { Item } from '../n8n/item';
import type { UrlName } from './choice';

const PLACEHOLDER = 'e.g. https://my-n8n.example.com/webhook/…';

const urlFields = [
	{
		displayName: 'Crew Webhook URL',
		name: 'crewWebhookUrl',
		description: 'Called when the whole crew has completed',
	},
	{
		displayName: 'Human Input Webhook URL',
		name: 'humanInputWebhookUrl',
		description: 'Called when a task waits for a person’s feedback',
	},
	{
		displayName: 'Step Webhook URL',
		name: 'stepWebhookUrl',
		description: 'Called after each thought or action of an agent',
	},
	{
		displayName: 'Task Webhook URL',
		name: 'taskWebhookUrl',
		description: 'Called after each completed task',
	},
].map((field): INodeProperties => ({
	...field,
	type: 'string',
	default: '',
	placeholder: PLACEHOLDER,
}));

/** The collection Callback URLs, shown if callbacks are `custom`. */
export const callbackUrlsField: INodeProperties = {
	displayName: 'Callback URLs',
	name: 'callbackUrls',
	type: 'collection',
	placeholder: 'Add URL',
	default: {},
	description: 'The addresses that the crew calls, e.g. of your own service',
	displayOptions: { show: { operation: ['kickoff', 'resume'], callbacks: ['custom'] } },
	options: urlFields,
};

/** The label of the field with this name. */
export function displayNameOf(name: UrlName): string {
	return urlFields.find((field) => field.name === name)?.displayName ?? name;
}

/**
 * @returns the URL without spaces around it, in ASCII
 * @throws NodeOperationError with the field's name if the URL cannot be called
 */
export function checkUrl(item: Item, url: string, displayName: string): string {
	const trimmed = url.trim();
	const problem = callbackUrlProblem(trimmed);
	if (problem === undefined) return asciiUrl(trimmed);
	const advice = `Enter an address such as ${PLACEHOLDER.slice(5)}`;
	throw item.error(`${displayName} cannot be called: ${problem}`, advice);
}
