import { endAllPollers } from '../../nodes/Crew/waiting/backgroundPoller';
import { stopTime } from '../support/fastTime';
import { ParkedExecution } from '../support/parkedExecution';
import { idOf, WAIT, WaitingCrew } from '../support/waitingCrew';

beforeEach(stopTime);
afterEach(() => {
	endAllPollers();
	jest.useRealTimers();
});

const event = (type: string, data: unknown) => ({
	events: [{ id: 'e', execution_id: idOf(0), timestamp: '2025-01-01T00:00:00Z', type, data }],
});

describe('further callbacks', () => {
	const body = { kickoff_id: idOf(0), result: 'Bees' };

	/** Parks an execution that waits for one crew, which has ended. */
	async function parkEnded() {
		const crew = new WaitingCrew();
		const credential = { baseUrl: crew.baseUrl };
		const parked = await ParkedExecution.park({ parameters: WAIT }, { credential });
		crew.complete(0);
		return { parked, urls: crew.urls() };
	}

	it('are harmless after the end', async () => {
		const { parked, urls } = await parkEnded();
		await parked.call(urls.crew, { body });
		const second = await parked.call(urls.stream, { body: event('crew_kickoff_completed', {}) });
		expect(second.status).toBe(409);
		expect(parked.ends).toBe(1);
	});

	it('end the wait if n8n has said that it could not continue with the first', async () => {
		const { parked, urls } = await parkEnded();
		parked.failures = 1;
		const first = await parked.call(urls.crew, { body });
		expect(first).toMatchObject({ status: 500, resumed: undefined });
		expect((await parked.call(urls.crew, { body })).resumed?.json).toMatchObject([
			{ status: 'completed', output: 'Text 0' },
		]);
		expect(parked.ends).toBe(2);
	});

	it('are told to come again if nobody knows whether n8n continues with the first', async () => {
		const { parked, urls } = await parkEnded();
		parked.failures = 1;
		parked.answersAtOnce = true;
		expect((await parked.call(urls.crew, { body })).status).toBe(200);
		for (let times = 0; times < 3; times++) {
			jest.advanceTimersByTime(60_000);
			expect(await parked.call(urls.crew, { body })).toMatchObject({ status: 503 });
		}
		expect(parked.ends).toBe(1);
	});

	it('are told to come again while n8n has no slot for the execution, which continues once', async () => {
		const { parked, urls } = await parkEnded();
		let makeRoom = () => undefined as unknown;
		parked.room = new Promise((resolve) => {
			makeRoom = () => {
				resolve();
			};
		});
		const held = parked.call(urls.crew, { body });
		await new Promise((resolve) => setImmediate(resolve));
		while (parked.ends === 0) await new Promise((resolve) => setImmediate(resolve));
		jest.advanceTimersByTime(60_000);
		expect(
			await parked.call(urls.stream, { body: event('crew_kickoff_completed', {}) }),
		).toMatchObject({
			status: 503,
		});
		makeRoom();
		expect((await held).resumed?.json).toMatchObject([{ output: 'Text 0' }]);
		expect(parked.ends).toBe(1);
	});

	it('at the same time end the wait once', async () => {
		const { parked, urls } = await parkEnded();
		const answers = await Promise.all([
			parked.call(urls.crew, { body }),
			parked.call(urls.stream, { body: event('crew_kickoff_completed', {}) }),
			parked.call(urls.crew, { body }),
		]);
		expect(parked.ends).toBe(1);
		expect(answers.filter(({ resumed }) => resumed)).toHaveLength(1);
	});
});
