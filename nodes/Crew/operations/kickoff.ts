import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallbackFields, KickoffBody } from '../api/client';
import { inputFields, readInputValues } from './kickoffInputs';
import { metaOptions, readMeta } from './meta';
import type { Operation } from './operation';
import { optionsField } from './sharedFields';
import { startAndWait, startOptions } from './startAndWait';
import { failureEventsOption } from './waitFields';

/** Starts an execution of the crew for each item. */
export const kickoff: Operation = {
	fields: inputFields,
	options: optionsField('kickoff', [failureEventsOption, ...metaOptions, ...startOptions]),
	execute: async (context, crew) =>
		await startAndWait(context, crew, {
			consequence: 'been started',
			takesEvents: true,
			read: (itemIndex, callbacks) => readBody(context, itemIndex, callbacks),
			send: async (body, itemIndex, sendOnce) => {
				const { kickoff_id: kickoffId } = await sendOnce(itemIndex, async () => ({
					kickoff_id: await crew.client.kickoff(body),
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
		...callbacks,
	};
}
