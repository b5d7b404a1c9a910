import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallbackFields, KickoffBody } from '../api/client';
import { callbackOptions } from '../callbacks/callbackFields';
import { readCallbacks } from '../callbacks/chosenCallbacks';
import { parkingOptions, pollingOptions } from '../waiting/waitFields';
import { inputFields, readInputValues } from './kickoffInputs';
import { metaOptions, readMeta } from './meta';
import type { Operation } from './operation';
import { maxParallelOption, optionsField, simplifyOption } from './sharedFields';
import { startAndWait } from './startAndWait';

/** Starts an execution of the crew for each item. */
export const kickoff: Operation = {
	fields: inputFields,
	options: optionsField('kickoff', [
		...callbackOptions,
		maxParallelOption,
		...metaOptions,
		...parkingOptions,
		...pollingOptions,
		simplifyOption,
	]),
	execute: async (context, crew) => {
		return await startAndWait(
			context,
			crew,
			'been started',
			async (itemIndex, sendOnce, waking) => {
				const { fields: callbacks, carried } = readCallbacks(
					context,
					crew.credential,
					itemIndex,
					waking,
				);
				const body = readBody(context, itemIndex, callbacks);
				const { kickoff_id: kickoffId } = await sendOnce(itemIndex, async () => ({
					kickoff_id: (await crew.client.kickoff(body)).kickoffId,
				}));
				const item = { kickoff_id: kickoffId, status: 'started', ...carried };
				return { kickoffId, item, base: { ...carried } };
			},
		);
	},
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
		...callbacks,
	};
}
