import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { CallbackFields, KickoffBody } from '../api/client';
import { callbackFields, readCallbacks } from '../callbacks/chosenCallbacks';
import { callbackOptions, pollingOptions, waitFields } from '../waiting/waitFields';
import { inputFields, readInputValues } from './kickoffInputs';
import { metaOptions, readMeta } from './meta';
import type { Operation } from './operation';
import { sendOncePerRun } from './sendOnce';
import { maxParallelOption, optionsField, simplifyOption } from './sharedFields';
import { startAndWait } from './startAndWait';

const fields: INodeProperties[] = [
	...inputFields,
	...waitFields,
	...callbackFields,
	optionsField('kickoff', [
		maxParallelOption,
		...metaOptions,
		...callbackOptions,
		...pollingOptions,
		simplifyOption,
	]),
];

/** Starts an execution of the crew for each item. */
export const kickoff: Operation = {
	fields,
	execute: async (context, crew) => {
		const sendOnce = sendOncePerRun(context, 'been started');
		return await startAndWait(context, crew, async (itemIndex, waking) => {
			const body = readBody(context, itemIndex, waking);
			const { kickoff_id: kickoffId } = await sendOnce(itemIndex, async () => ({
				kickoff_id: (await crew.client.kickoff(body)).kickoffId,
			}));
			return { kickoffId, item: { kickoff_id: kickoffId, status: 'started' }, base: {} };
		});
	},
};

function readBody(
	context: IExecuteFunctions,
	itemIndex: number,
	waking: CallbackFields,
): KickoffBody {
	const meta = readMeta(context, itemIndex);
	return {
		inputs: readInputValues(context, itemIndex),
		...(Object.keys(meta).length > 0 ? { meta } : {}),
		...readCallbacks(context, itemIndex, waking),
	};
}
