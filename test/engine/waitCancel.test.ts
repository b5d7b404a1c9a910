import { sleep } from 'n8n-workflow';
import { runCrew } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { HOLD, idOf, numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

interface Cancelled {
	stopOnCancel: boolean;
	/** Milliseconds after the start. */
	after: number;
	maxParallel?: number;
	/** Whether n8n runs the node again a second after it has failed. */
	retryOnFail?: boolean;
}

/** Cancels an execution with three crews, of which the first completes at once, and lets a while pass. */
async function cancelWhilePolling(
	crew: WaitingCrew,
	{ stopOnCancel, after, maxParallel = 10, retryOnFail }: Cancelled,
) {
	const cancel = new AbortController();
	const options = { ...HOLD.options, stopOnCancel, maxParallel };
	const running = { endedAt: 0, cancelledAt: 0 };
	await inFastTime(async () => {
		void sleep(after).then(() => {
			running.cancelledAt = Date.now();
			cancel.abort();
		});
		await runCrew(
			{ parameters: { ...HOLD, options }, settings: { retryOnFail } },
			{ items: numbered(3), credential: { baseUrl: crew.baseUrl }, cancel: cancel.signal },
		);
		running.endedAt = Date.now();
		await sleep(5_000);
	});
	return running;
}

describe('an execution that is cancelled while it is kept running', () => {
	it.each([
		['in a pause', 3_000, 0],
		['while a question is under way', 1_500, 20_000],
	])('ends within a second and asks nothing more, %s', async (_what, after, statusDelay) => {
		const crew = new WaitingCrew();
		crew.statusDelay = statusDelay;
		const { cancelledAt, endedAt } = await cancelWhilePolling(crew, { stopOnCancel: false, after });
		expect(endedAt - cancelledAt).toBeLessThan(1_000);
		expect(crew.askedAt.filter((time) => time > cancelledAt)).toEqual([]);
		expect(crew.stopped).toEqual([]);
	});

	it.each([
		['in a pause', 3_000, 0],
		['while a question is under way', 12_000, 4_000],
	])('stops the crews that are still running, %s', async (_what, after, statusDelay) => {
		const crew = new WaitingCrew();
		crew.complete(0);
		crew.statusDelay = statusDelay;
		await cancelWhilePolling(crew, { stopOnCancel: true, after });
		// The first may not have been asked yet.
		expect(crew.stopped.filter((id) => id !== idOf(0))).toEqual([idOf(1), idOf(2)]);
	});

	it('stops the crews with open kickoffs, once their IDs are known', async () => {
		const crew = new WaitingCrew();
		crew.kickoffDelay = 2_000;
		await cancelWhilePolling(crew, { stopOnCancel: true, after: 1_000 });
		expect(crew.kickoffs).toHaveLength(3);
		expect(crew.stopped.sort()).toEqual([idOf(0), idOf(1), idOf(2)]);
	});

	it('stops them if the kickoff of another fails meanwhile', async () => {
		const crew = new WaitingCrew();
		crew.kickoffDelay = 2_000;
		crew.refusals.set(0, 1);
		await cancelWhilePolling(crew, { stopOnCancel: true, after: 1_000 });
		expect(crew.stopped.sort()).toEqual([idOf(1), idOf(2)]);
	});

	it('stops them between two tries of Retry On Fail', async () => {
		const crew = new WaitingCrew();
		crew.refusals.set(2, 1);
		await cancelWhilePolling(crew, { stopOnCancel: true, after: 500, retryOnFail: true });
		expect(crew.kickoffs).toHaveLength(3);
		expect(crew.stopped.sort()).toEqual([idOf(0), idOf(1)]);
	});

	it('starts no further crew', async () => {
		const crew = new WaitingCrew();
		crew.kickoffDelay = 1_000;
		await cancelWhilePolling(crew, { stopOnCancel: false, after: 1_500, maxParallel: 1 });
		expect(crew.kickoffs).toHaveLength(2);
	});
});

it('an execution that is cancelled while its kickoffs are open does not wait, and is not asked for', async () => {
	const crew = new WaitingCrew();
	crew.kickoffDelay = 2_000;
	const cancel = new AbortController();
	await inFastTime(async () => {
		void sleep(1_000).then(() => {
			cancel.abort();
		});
		const credential = { baseUrl: crew.baseUrl };
		await runCrew({ parameters: WAIT }, { credential, cancel: cancel.signal });
		await sleep(60_000);
	});
	expect(crew.kickoffs).toHaveLength(1);
	expect(crew.asked).toEqual([]);
});
