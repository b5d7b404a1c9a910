import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import { stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { idOf, numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

beforeEach(stopTime);
afterEach(() => {
	endAllPollers();
	jest.useRealTimers();
});

async function parkMany(count: number) {
	const crew = new WaitingCrew();
	const parked = await ParkedExecution.park(
		{ parameters: WAIT, settings: { onError: 'continueErrorOutput' } },
		{ items: numbered(count), credential: { baseUrl: crew.baseUrl } },
	);
	/** Lets the execution of item `n` complete and call back. */
	const end = async (n: number) => {
		crew.complete(n);
		return await parked.call(crew.urls(n).crew, { body: { kickoff_id: idOf(n) } });
	};
	return { crew, parked, end };
}

const completed = (n: number) => ({
	json: { kickoff_id: idOf(n), status: 'completed', output: `Text ${n}` },
	pairedItem: { item: n },
});

describe('many items', () => {
	it('continue once, when the last crew has ended, in the order of the input', async () => {
		const { end, parked } = await parkMany(4);
		for (const n of [2, 0, 3]) {
			expect((await end(n)).answer).toMatchObject({ ended: false });
		}
		const { resumed } = await end(1);
		expect(resumed?.outputs[0]).toEqual([0, 1, 2, 3].map(completed));
		expect(parked.ends).toBe(1);
	});

	it('continue with the end of each of them', async () => {
		const { crew, end, parked } = await parkMany(3);
		crew.answers.set(idOf(0), [200, { status: 'error', error: 'No bees' }]);
		await parked.call(crew.urls(0).stream, {
			body: { events: [{ execution_id: idOf(0), type: 'crew_kickoff_failed', data: {} }] },
		});
		crew.answers.set(idOf(2), [200, { state: 'NOT FOUND' }]);
		await parked.call(crew.urls(2).human_input, {
			body: { execution_id: idOf(2), task_id: 'write', output: 'A draft' },
		});
		const { resumed } = await end(1);
		expect(resumed?.json).toEqual([
			{ kickoff_id: idOf(0), status: 'failed', error: 'No bees' },
			completed(1).json,
			{
				kickoff_id: idOf(2),
				status: 'pending_human_input',
				task_id: 'write',
				task_output: 'A draft',
			},
		]);
	});

	it('that were refused at kickoff keep their place, and go to the error output', async () => {
		const crew = new WaitingCrew();
		crew.refusals.set(1, 1);
		const parked = await ParkedExecution.park(
			{ parameters: WAIT, settings: { onError: 'continueErrorOutput' } },
			{ items: numbered(3), credential: { baseUrl: crew.baseUrl } },
		);
		crew.complete(0, 2);
		const { resumed } = await parked.call(crew.urls(0).crew, { body: { kickoff_id: idOf(0) } });
		expect(resumed?.outputs[0]).toEqual([completed(0), completed(2)]);
		expect(resumed?.outputs[1]).toMatchObject([
			{ json: { error: 'The crew did not accept the values' }, pairedItem: { item: 1 } },
		]);
	});

	it('that ended without a callback are noticed with the last callback', async () => {
		const { crew, end } = await parkMany(5);
		crew.complete(0, 1, 3, 4);
		const { resumed } = await end(2);
		expect(resumed?.outputs[0]).toEqual([0, 1, 2, 3, 4].map(completed));
	});
});
