import { maxParallelOption, optionsField, type Operation } from './operation';
import { runItems } from './runItems';

/** Stops a running execution. */
export const stop: Operation = {
	// Its one field, Kickoff ID, is that of Get Status.
	fields: [],
	options: optionsField('stop', [maxParallelOption]),
	execute: async (context, crew) =>
		await runItems(context, crew, 'POST', async (item) => {
			const kickoffId = item.readId('kickoffId', 'Kickoff ID');
			await crew.client.stop(kickoffId);
			return { kickoff_id: kickoffId, status: 'stopped' };
		}),
};
