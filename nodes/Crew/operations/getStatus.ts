import type { Crew } from '../api/connect';
import { readExecution } from '../model/execution';
import { pollingOptions, readWait } from '../waiting/waitFields';
import { waitForCrews, type Slot } from '../waiting/waitForCrews';
import { ask, isFinal, type Watched } from '../waiting/watch';
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
		const isWaiting = settings.mode !== 'no';
		const read = isWaiting ? readStatusToWaitFor : readStatus;
		const outcomes = await forEachItem(
			context,
			(itemIndex) => readId(context, 'kickoffId', 'Kickoff ID', itemIndex),
			async (kickoffId, itemIndex) => await read(crew, kickoffId, itemIndex),
		);
		const slots = outcomes.map(({ failed, done }): Slot =>
			failed ? { item: failed } : { watched: done },
		);
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
): Promise<Watched> {
	const response = await client.getStatus(kickoffId);
	const execution = readExecution(response);
	return { itemIndex, kickoffId, since: 0, base: {}, execution, response };
}

/** Where the execution is not over yet, or cannot be read for the moment, it is waited for. */
async function readStatusToWaitFor(
	{ client }: Crew,
	kickoffId: string,
	itemIndex: number,
): Promise<Watched> {
	// It may have been kicked off a moment ago.
	const watched: Watched = { itemIndex, kickoffId, since: Date.now(), base: {} };
	const failure = await ask(client, watched);
	if (failure && isFinal(failure, watched)) throw failure;
	return watched;
}
