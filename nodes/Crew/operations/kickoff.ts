import type { INodeProperties } from 'n8n-workflow';
import type { CallbackFields, KickoffBody } from '../api/client';
import { asText } from '../model/json';
import type { Item } from '../n8n/item';
import { inputFields, readInputValues } from './kickoffInputs';
import { metaOptions, readMeta } from './meta';
import type { Operation } from './operation';
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
			prepare: (item, callbacks) => {
				const body = readBody(item, callbacks);
				const send = async () => ({
					kickoff_id: await crew.client.kickoff(body).catch((error: unknown) => {
						throw blameFields(item, error);
					}),
				});
				return async (sendOnce) => {
					const { kickoff_id: kickoffId } = await sendOnce(item, send);
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

/** An expression for an earlier run gives nothing for the first one. */
function readRestore(item: Item): Pick<KickoffBody, 'restoreFromStateId'> {
	const name = 'options.restoreFromStateId';
	const isEmpty = (asText(item.read(name, '')) ?? '').trim() === '';
	return isEmpty ? {} : { restoreFromStateId: item.readId(name, restoreOption.displayName) };
}
