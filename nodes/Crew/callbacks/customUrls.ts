import { NodeOperationError, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import type { CallbackFields } from '../api/client';
import { callbackUrlProblem } from '../model/baseUrl';
import { isRecord } from '../model/json';

const PLACEHOLDER = 'e.g. https://my-n8n.example.com/webhook/…';

const urlFields: INodeProperties[] = [
	{
		displayName: 'Crew Webhook URL',
		name: 'crewWebhookUrl',
		type: 'string',
		default: '',
		placeholder: PLACEHOLDER,
		description: 'Called when the whole crew has completed',
	},
	{
		displayName: 'Human Input Webhook URL',
		name: 'humanInputWebhookUrl',
		type: 'string',
		default: '',
		placeholder: PLACEHOLDER,
		description: 'Called when a task waits for a person’s feedback',
	},
	{
		displayName: 'Step Webhook URL',
		name: 'stepWebhookUrl',
		type: 'string',
		default: '',
		placeholder: PLACEHOLDER,
		description: 'Called after each thought or action of an agent',
	},
	{
		displayName: 'Task Webhook URL',
		name: 'taskWebhookUrl',
		type: 'string',
		default: '',
		placeholder: PLACEHOLDER,
		description: 'Called after each completed task',
	},
];

/** The collection Callback URLs, shown where callbacks are `custom`. */
export const callbackUrlsField: INodeProperties = {
	displayName: 'Callback URLs',
	name: 'callbackUrls',
	type: 'collection',
	placeholder: 'Add URL',
	default: {},
	description:
		'Where the crew sends its notifications, e.g. the production URL of a Crew Trigger with ?callback=crew behind it',
	displayOptions: { show: { operation: ['kickoff', 'resume'], callbacks: ['custom'] } },
	options: urlFields,
};

/**
 * Reads the URLs that the user entered into the fields that the API has for them.
 *
 * @throws NodeOperationError with the field's name where a URL cannot be called
 */
export function readCustomUrls(context: IExecuteFunctions, itemIndex: number): CallbackFields {
	const entered: unknown = context.getNodeParameter('callbackUrls', itemIndex, {});
	const urls = new Map<string, string>();
	for (const { name, displayName } of urlFields) {
		const value = isRecord(entered) ? entered[name] : undefined;
		if (typeof value !== 'string' || value.trim() === '') continue;
		const problem = callbackUrlProblem(value.trim());
		if (problem !== undefined) {
			throw new NodeOperationError(
				context.getNode(),
				`${displayName} cannot be called: ${problem}`,
				{ itemIndex, description: `Enter an address such as ${PLACEHOLDER.slice(5)}` },
			);
		}
		urls.set(name, value.trim());
	}
	const humanInputUrl = urls.get('humanInputWebhookUrl');
	urls.delete('humanInputWebhookUrl');
	return {
		...Object.fromEntries(urls),
		...(humanInputUrl === undefined ? {} : { humanInputWebhook: { url: humanInputUrl } }),
	};
}
