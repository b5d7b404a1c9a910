import { completeAt, MINUTE, runWait } from '../support/waitInN8n';
import { idOf, numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

type Kind = 'crew' | 'human_input' | 'stream';

const event = (type: string, data: unknown) => ({
	events: [{ id: 'e', execution_id: idOf(0), timestamp: '2025-01-01T00:00:00Z', type, data }],
});

describe('the content of a callback counts if the status endpoint', () => {
	it.each<[string, readonly [number, unknown?]]>([
		['breaks', [500, 'Oops']],
		['answers with something else', [200, [7]]],
	])('%s for half a minute', async (_what, answer) => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), answer);
		const { resumed, waited, calls } = await runWait(crew, WAIT, {
			meanwhile: (parked) => {
				void parked.call(crew.urls().crew, { body: { kickoff_id: idOf(0), result: 'Bees' } });
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Bees' }]);
		expect(waited).toBeGreaterThanOrEqual(30_000);
		expect(waited).toBeLessThan(MINUTE);
		expect(calls).toEqual(['wake']);
	});

	it('breaks, with what several callbacks said about the same end', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [500]);
		crew.answers.set(idOf(1), [500]);
		const { resumed } = await runWait(crew, WAIT, {
			items: numbered(2),
			meanwhile: (parked) => {
				void parked.call(crew.urls(0).crew, { body: { result: 'Bees' } });
				void parked.call(crew.urls(0).stream, { body: event('crew_kickoff_completed', {}) });
				void parked.call(crew.urls(1).crew, { body: { result: 'Ants' } });
			},
		});
		expect(resumed?.json).toMatchObject([{ output: 'Bees' }, { output: 'Ants' }]);
	});
});

describe('what a callback claims and the status denies', () => {
	it.each<[string, Kind, unknown]>([
		['an end with its ID', 'crew', { kickoff_id: idOf(0), result: 'Forged' }],
		['an end without an ID', 'crew', { result: 'Forged' }],
		['a failure', 'stream', event('crew_kickoff_failed', { error: 'Forged' })],
		['a question', 'human_input', { execution_id: idOf(0), task_id: 'forged' }],
	])('does not end a wait, and is not part of its item: %s', async (_what, kind, body) => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, WAIT, {
			meanwhile: (parked) => {
				void parked.call(crew.urls()[kind], { body });
				completeAt(crew, 10 * MINUTE, 0)();
			},
			forAtMost: 20 * MINUTE,
		});
		expect(waited).toBeGreaterThanOrEqual(10 * MINUTE);
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' }]);
	});

	it('does not even count if another process of the crew does not know the execution', async () => {
		const crew = new WaitingCrew();
		let questions = 0;
		const { resumed } = await runWait(crew, WAIT, {
			meanwhile: (parked) => {
				crew.answerWith(idOf(0), () =>
					questions++ % 2 === 0 ? [200, { status: 'running' }] : [404, { detail: 'Not found' }],
				);
				void parked.call(crew.urls().crew, { body: { result: 'Forged' } });
				completeAt(crew, 10 * MINUTE, 0)();
			},
			forAtMost: 20 * MINUTE,
		});
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' }]);
	});

	it('does not even count once the crew cannot be asked', async () => {
		const crew = new WaitingCrew();
		const { resumed } = await runWait(
			crew,
			{ ...WAIT, resumeAmount: 10, resumeUnit: 'minutes' },
			{
				meanwhile: (parked) => {
					void parked.call(crew.urls().crew, { body: { result: 'Forged' } });
					setTimeout(() => crew.answers.set(idOf(0), [500]), 3 * MINUTE);
				},
				forAtMost: 20 * MINUTE,
			},
		);
		const error = 'The crew’s server could not answer (HTTP 500): the run itself may have failed';
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'timed_out', error }]);
	});

	it('ends the wait soon if the status only lags behind', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, WAIT, {
			meanwhile: (parked) => {
				void parked.call(crew.urls().crew, { body: { kickoff_id: idOf(0), result: 'Bees' } });
				completeAt(crew, 8_000, 0)();
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(waited).toBeLessThan(20_000);
	});
});
