import type { Operation } from './operation';
import { runItems } from './runItems';
import { maxParallelOption, optionsField } from './sharedFields';

/** One item per input that the crew expects: `name`, `type`, `required`, `description`. */
export const getInputs: Operation = {
	fields: [],
	options: optionsField('getInputs', [maxParallelOption]),
	execute: async (context, { client }) =>
		await runItems(context, async () => {
			const inputs = await client.getInputs();
			return inputs.map((input) => ({ ...input }));
		}),
};
