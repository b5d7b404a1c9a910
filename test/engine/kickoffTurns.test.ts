import { sleep } from 'n8n-workflow';
import { runCrew } from '../support/engine';
import { inFastTime } from '../support/fastTime';
import { WAIT, WaitingCrew } from '../support/waitingCrew';

/** Kickoffs without waiting, two at once. */
const START = { ...WAIT, wait: 'no', options: { ...WAIT.options, maxParallel: 2 } };

/** Runs two executions on one crew: the first has two slow open kickoffs, so those of the second wait. */
async function runSecond(second: unknown[], cancelAfter?: number): Promise<number[]> {
	const crew = new WaitingCrew();
	crew.kickoffDelay = 10_000;
	const options = { credential: { baseUrl: crew.baseUrl } };
	await inFastTime(async () => {
		const first = runCrew({ parameters: START }, { ...options, items: [{ n: 1 }, { n: 2 }] });
		await sleep(1_000);
		const cancel = new AbortController();
		const inputsJson = '={{ $json.text ?? JSON.stringify({ n: $json.n }) }}';
		const running = runCrew(
			{ parameters: { ...START, inputsJson } },
			{ ...options, items: second as Array<{ n: number }>, cancel: cancel.signal },
		);
		if (cancelAfter !== undefined) {
			await sleep(cancelAfter);
			cancel.abort();
		}
		await Promise.all([first, running]);
		// A waiting kickoff would be sent now.
		await sleep(30_000);
	});
	return crew.kickoffs.map(({ inputs }) => inputs?.n ?? 0);
}

describe('a kickoff that waits for its turn', () => {
	it('is sent when it is its turn', async () => {
		expect(await runSecond([{ n: 3 }, { n: 4 }])).toEqual([1, 2, 3, 4]);
	});

	it('is no longer sent once its execution is cancelled', async () => {
		expect(await runSecond([{ n: 3 }, { n: 4 }], 2_000)).toEqual([1, 2]);
	});

	it('is no longer sent once its node has failed on another item', async () => {
		expect(await runSecond([{ n: 3 }, { text: '{' }])).toEqual([1, 2]);
	});
});
