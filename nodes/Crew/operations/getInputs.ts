import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from './operation';
import { runItems } from './runItems';
import { maxParallelOption, optionsField } from './sharedFields';

const fields: INodeProperties[] = [optionsField('getInputs', [maxParallelOption])];

/** One item per input that the crew expects: `name`, `type`, `required`, `description`. */
export const getInputs: Operation = {
	fields,
	execute: async (context, { client }) =>
		await runItems(context, async () => {
			const inputs = await client.getInputs();
			return inputs.map((input) => ({ ...input }));
		}),
};
