import type { INodeProperties } from 'n8n-workflow';
import type { CallbackFields, KickoffBody } from '../api/client';
import { asText, isOn, isRecord, own, type JsonRecord } from '../model/json';
import type { Item } from '../n8n/item';
import { blameFields, inputFields, readInputValues } from './kickoffInputs';
import { optionsField, type Operation } from './operation';
import { startAndWait, startOptions } from './startAndWait';
import { failureEventsOption } from './waitFields';

const metaOptions: INodeProperties[] = [
	{
		displayName: 'Include Workflow Details',
		name: 'n8nMeta',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the workflow, execution, node and item to meta as n8n, so that you can trace every callback',
	},
	{
		displayName: 'Meta',
		name: 'meta',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"customer": 42}',
		description: 'A JSON object that the crew sends back in every callback',
	},
];

const restoreOption: INodeProperties = {
	displayName: 'Restore From State ID',
	name: 'restoreFromStateId',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.kickoff_id }}',
	description:
		'The kickoff_id of an earlier run of a flow that keeps its state (@persist). This run starts with that state, and the inputs on top of it. If it is empty, it is not sent.',
};

/** Starts an execution of the crew for each item. */
export const kickoff: Operation = {
	fields: inputFields,
	options: optionsField('kickoff', [
		failureEventsOption,
		...metaOptions,
		restoreOption,
		...startOptions,
	]),
	execute: async (context, crew) =>
		await startAndWait(context, crew, {
			consequence: 'been started',
			takesEvents: true,
			prepare: (item, callbacks) => {
				const body = readBody(item, callbacks);
				return async () => {
					const kickoffId = await crew.client.kickoff(body).catch((error: unknown) => {
						throw blameFields(item, error);
					});
					return { kickoffId, item: { kickoff_id: kickoffId, status: 'started' } };
				};
			},
		}),
};

function readBody(item: Item, callbacks: CallbackFields): KickoffBody {
	const meta = readMeta(item);
	return {
		inputs: readInputValues(item),
		...(Object.keys(meta).length > 0 ? { meta } : {}),
		...readRestore(item),
		...callbacks,
	};
}

/** What the crew sends back in every callback: the user's own object, and the workflow details. */
function readMeta(item: Item): JsonRecord {
	const meta = item.readJsonObject('options.meta', 'Meta');
	if (!isOn(item.read('options.n8nMeta', true), true)) return meta;
	const { context, index } = item;
	const { id, name } = context.getWorkflow();
	const origin = {
		workflow: { id, name },
		execution: context.getExecutionId(),
		node: context.getNode().name,
		item: index,
	};
	const theirs = own(meta, 'n8n');
	return { ...meta, n8n: isRecord(theirs) ? { ...origin, ...theirs } : (theirs ?? origin) };
}

/** At the first run, an expression for an earlier run is empty. */
function readRestore(item: Item): Pick<KickoffBody, 'restoreFromStateId'> {
	const name = 'options.restoreFromStateId';
	const isEmpty = (asText(item.read(name, '')) ?? '').trim() === '';
	return isEmpty ? {} : { restoreFromStateId: item.readId(name, restoreOption.displayName) };
}
