import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from './operation';
import { readId } from './parameters';
import { runItems } from './runItems';
import { maxParallelOption, optionsField } from './sharedFields';

/** Its field Kickoff ID is that of Get Status. */
const fields: INodeProperties[] = [optionsField('stop', [maxParallelOption])];

/** Ends an execution before it has come to its end by itself. */
export const stop: Operation = {
	fields,
	execute: async (context, { client }) =>
		await runItems(context, async (itemIndex) => {
			const kickoffId = readId(context, 'kickoffId', 'Kickoff ID', itemIndex);
			await client.stop(kickoffId);
			return { kickoff_id: kickoffId, status: 'stopped' };
		}),
};
