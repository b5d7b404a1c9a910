import { randomUUID } from 'node:crypto';
import type { CrewReader } from '../api/client';
import type { CrewApiError } from '../api/errors';
import { NOT_FOUND_MEANS, readExecution, type Execution } from '../model/execution';
import { readResumeUrl } from '../waiting/resumeUrl';
import { waitForCrews } from '../waiting/waitForCrews';
import { readWait } from '../waiting/waitSettings';
import { ask, isRefused, type Watched } from '../waiting/watched';
import {
	kickoffIdField,
	maxParallelOption,
	optionsField,
	simplifyOption,
	type Operation,
} from './operation';
import { forEachItem } from './runItems';
import { finishFor } from './startAndWait';
import { waitOptions } from './waitFields';

/** Reads the status of an execution, in the same words for every deployment. */
export const getStatus: Operation = {
	fields: [kickoffIdField],
	options: optionsField('getStatus', [maxParallelOption, ...waitOptions, simplifyOption]),
	execute: async (context, crew) => {
		const settings = readWait(context);
		const read = settings.isWaiting ? readStatusToWaitFor : readStatus;
		const outcomes = await forEachItem(context, crew, 'GET', (item) => {
			const kickoffId = item.readId('kickoffId', 'Kickoff ID');
			// It may have been kicked off a moment ago.
			const watched = { itemIndex: item.index, kickoffId, since: Date.now(), base: {} };
			return async () => await read(crew.client, watched);
		});
		const finish = finishFor(context, settings);
		if (!settings.isWaiting) return outcomes.map(({ done, failed }) => failed ?? finish(done));
		const waiting = {
			settings,
			// The execution has already started, so it cannot get callback URLs.
			...{ isCalledBack: false, isPolled: true },
			resumeUrl: readResumeUrl(context),
			waitId: randomUUID(),
		};
		return await waitForCrews(context, crew, outcomes, waiting, finish);
	},
};

/** An unknown execution becomes an item, as after a wait. */
async function readStatus(client: CrewReader, watched: Watched): Promise<Watched> {
	const response = await client.getStatus(watched.kickoffId).catch((failure: unknown) => {
		const { httpCode, isStandIn } = failure as CrewApiError;
		if (httpCode !== 404 || isStandIn) throw failure;
		return undefined;
	});
	const execution: Execution = response ? readExecution(response) : { status: 'not_found' };
	const meaning = execution.status === 'not_found' ? NOT_FOUND_MEANS : {};
	return { ...watched, execution: { ...execution, ...meaning }, response };
}

/** If the execution has not ended, or cannot be read at the moment, the node waits for it. */
async function readStatusToWaitFor(client: CrewReader, watched: Watched): Promise<Watched> {
	await ask(client, watched);
	const { failure, isLost } = watched;
	if (failure && (isLost || isRefused(watched))) throw failure;
	return watched;
}
