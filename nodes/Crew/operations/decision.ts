import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Item } from '../n8n/item';
import { asText } from '../model/json';

const DECISIONS: INodePropertyOptions[] = [
	{ name: 'Approve', value: 'approve', description: 'Accept the task’s output. The crew goes on.' },
	{
		name: 'Reject',
		value: 'reject',
		description: 'Send the task back. The crew works on it again, with the feedback.',
	},
];

/**
 * A person's decision about a task's output. There is no default, although n8n's linter wants one of the choices as the
 * default: a form without a decision must not approve.
 */
export const decisionField: INodeProperties = {
	displayName: 'Decision',
	name: 'decision',
	type: 'options',
	required: true,
	default: '',
	description:
		'What the crew does next. An expression can give approve or reject, yes or no, or true or false.',
	displayOptions: { show: { operation: ['resume'] } },
	options: DECISIONS,
};

/** The words that forms, chats and n8n's approval messages return. */
const WORDS = new Map([
	...['approve', 'approved', 'true', 'yes'].map((word) => [word, true] as const),
	...['reject', 'rejected', 'false', 'no'].map((word) => [word, false] as const),
]);

/**
 * Whether the task's output is approved.
 *
 * @throws NodeOperationError if the value is neither: nothing is approved by mistake
 */
export function readDecision(item: Item): boolean {
	const isApproved = WORDS.get(asText(item.read('decision', ''))?.trim().toLowerCase() ?? '');
	if (isApproved !== undefined) return isApproved;
	throw item.error(
		'Decision is neither approve nor reject',
		"Choose one under 'Decision', or map the answer of your form, e.g. {{ $json.Decision }}. Nothing was sent for this item.",
	);
}
