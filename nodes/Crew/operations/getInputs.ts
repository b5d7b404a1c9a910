import type { Operation } from './operation';
import { runItems } from './runItems';

/** One item per input that the crew expects: `name`, `type`, `required`, `description`. */
export const getInputs: Operation = {
	fields: [],
	execute: async (context, crew) =>
		await runItems(context, crew, 'GET', async () => {
			const inputs = await crew.client.getInputs();
			return inputs.map((input) => ({ ...input }));
		}),
};
