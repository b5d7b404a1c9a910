import type { Crew } from '../api/connect';
import { readExecution, type Execution } from '../model/execution';
import { isSettled } from '../model/executionStatus';
import { pollingOptions, readWait } from '../waiting/waitFields';
import { waitForCrews, type Slot } from '../waiting/waitForCrews';
import type { Watched } from '../waiting/watch';
import type { Operation } from './operation';
import { readId } from './parameters';
import { forEachItem, readMaxParallel } from './runItems';
import { kickoffIdField, maxParallelOption, optionsField, simplifyOption } from './sharedFields';
import { finishFor } from './startAndWait';

/** Where an execution stands, in the same words for every deployment. */
export const getStatus: Operation = {
	fields: [kickoffIdField('getStatus', 'stop')],
	options: optionsField('getStatus', [maxParallelOption, ...pollingOptions, simplifyOption]),
	execute: async (context, crew) => {
		const settings = readWait(context, false);
		const isSimple = context.getNodeParameter('options.simplify', 0, true) as boolean;
		const outcomes = await forEachItem(
			context,
			(itemIndex) => readId(context, 'kickoffId', 'Kickoff ID', itemIndex),
			async (kickoffId, itemIndex) => await readStatus(crew, kickoffId, itemIndex),
		);
		const isWaiting = settings.mode !== 'no';
		const slots = outcomes.map(({ failed, done }): Slot => {
			if (failed) return { item: failed };
			const isOpen = isWaiting && !isSettled(done.execution.status);
			return { watched: isOpen ? { ...done, execution: undefined, response: undefined } : done };
		});
		const finish = finishFor(context, isSimple);
		if (!isWaiting) return slots.map(({ watched, item }) => item ?? finish(watched));
		const waiting = { settings, isSimple, maxParallel: readMaxParallel(context) };
		return await waitForCrews(context, crew, slots, waiting, finish);
	},
};

async function readStatus(
	{ client }: Crew,
	kickoffId: string,
	itemIndex: number,
): Promise<Watched & { execution: Execution }> {
	const response = await client.getStatus(kickoffId);
	const execution = readExecution(response);
	return { itemIndex, kickoffId, since: 0, base: {}, execution, response };
}
