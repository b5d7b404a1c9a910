import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { CallbackFields, KickoffBody } from '../api/client';
import { asText } from '../model/json';
import { inputFields, readInputValues } from './kickoffInputs';
import { metaOptions, readMeta } from './meta';
import type { Operation } from './operation';
import { readId } from './parameters';
import { optionsField } from './sharedFields';
import { startAndWait, startOptions } from './startAndWait';
import { blameFields } from './strangeFields';
import { failureEventsOption } from './waitFields';

const restoreOption: INodeProperties = {
	displayName: 'Restore From State ID',
	name: 'restoreFromStateId',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.kickoff_id }}',
	description:
		'The kickoff_id of an earlier run of a flow that keeps its state (@persist). This run begins with that state, and the inputs on top of it. Nothing is sent while it is empty.',
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
			read: (itemIndex, callbacks) => readBody(context, itemIndex, callbacks),
			send: async (body, itemIndex, sendOnce) => {
				const { kickoff_id: kickoffId } = await sendOnce(itemIndex, async () => ({
					kickoff_id: await crew.client.kickoff(body).catch((error: unknown) => {
						throw blameFields(context, itemIndex, error);
					}),
				}));
				return { kickoffId, item: { kickoff_id: kickoffId, status: 'started' } };
			},
		}),
};

function readBody(
	context: IExecuteFunctions,
	itemIndex: number,
	callbacks: CallbackFields,
): KickoffBody {
	const meta = readMeta(context, itemIndex);
	return {
		inputs: readInputValues(context, itemIndex),
		...(Object.keys(meta).length > 0 ? { meta } : {}),
		...readRestore(context, itemIndex),
		...callbacks,
	};
}

/** An expression for an earlier run gives nothing for the first one. */
function readRestore(
	context: IExecuteFunctions,
	itemIndex: number,
): Pick<KickoffBody, 'restoreFromStateId'> {
	const name = 'options.restoreFromStateId';
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	const isEmpty = (asText(value) ?? '').trim() === '';
	if (isEmpty) return {};
	return { restoreFromStateId: readId(context, name, restoreOption.displayName, itemIndex) };
}
