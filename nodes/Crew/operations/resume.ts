import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { CallbackFields, ResumeBody } from '../api/client';
import { digest } from '../api/digest';
import { asText, defined } from '../model/json';
import { readResume } from '../model/resume';
import type { Item } from '../n8n/item';
import { optionsField, type Operation } from './operation';
import { startAndWait, startOptions } from './startAndWait';

const show = { operation: ['resume'] };

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
const decisionField: INodeProperties = {
	displayName: 'Decision',
	name: 'decision',
	type: 'options',
	required: true,
	default: '',
	description:
		'What the crew does next. An expression can give approve or reject, yes or no, or true or false.',
	displayOptions: { show },
	options: DECISIONS,
};

/** Its first field, Kickoff ID, is that of Get Status. */
const fields: INodeProperties[] = [
	{
		displayName: 'Task ID',
		name: 'taskId',
		type: 'string',
		required: true,
		default: '={{ $json.task_id }}',
		placeholder: 'e.g. write_article',
		description: 'The task_id of the task whose output is approved or rejected',
		displayOptions: { show },
	},
	decisionField,
	{
		displayName: 'Human Feedback',
		name: 'humanFeedback',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Shorter, and with a source for each figure',
		description: 'What the person says about the task’s output. The agents read it from then on.',
		displayOptions: { show },
	},
];

/** Approves or rejects the output of a task that waits for a person. */
export const resume: Operation = {
	fields,
	options: optionsField('resume', startOptions),
	execute: async (context, crew) =>
		await startAndWait(context, crew, {
			consequence: 'been resumed',
			takesEvents: false,
			prepare: (item, callbacks) => {
				const body = readBody(item, callbacks);
				const { execution_id: resumedId, task_id: taskId } = body;
				const shown = item.json.task_output;
				const taskOutput = typeof shown === 'string' ? digest(shown) : undefined;
				return async () => {
					const { newId, ...answer } = readResume(await crew.client.resume(body), resumedId);
					const kickoffId = newId ?? resumedId;
					const resumedFrom = newId === undefined ? {} : { resumed_from: resumedId };
					return {
						kickoffId,
						base: resumedFrom,
						item: { kickoff_id: kickoffId, ...resumedFrom, task_id: taskId, ...defined(answer) },
						answered: { kickoffId: resumedId, taskId, taskOutput },
					};
				};
			},
		}),
};

function readBody(item: Item, callbacks: CallbackFields): ResumeBody {
	return {
		execution_id: item.readId('kickoffId', 'Kickoff ID'),
		task_id: readTaskId(item),
		human_feedback: asText(item.read('humanFeedback', '')) ?? '',
		is_approve: readDecision(item),
		...callbacks,
	};
}

/** A task's ID is only in the body, so any text will do. */
function readTaskId(item: Item): string {
	const value = item.read('taskId');
	const taskId = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (taskId !== '' && !/\p{Cc}/u.test(taskId)) return taskId;
	throw item.error(
		taskId === '' ? 'Task ID is empty' : 'Task ID has a control character',
		"Set 'Task ID' to the task_id of the item that asked for human input, e.g. {{ $json.task_id }}.",
	);
}

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
function readDecision(item: Item): boolean {
	const isApproved = WORDS.get(asText(item.read('decision', ''))?.trim().toLowerCase() ?? '');
	if (isApproved !== undefined) return isApproved;
	throw item.error(
		'Decision is neither approve nor reject',
		"Choose one under 'Decision', or map the answer of your form, e.g. {{ $json.Decision }}. Nothing was sent for this item.",
	);
}
