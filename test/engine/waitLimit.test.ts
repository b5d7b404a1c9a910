import { completeAt, LATE, MINUTE, runWait } from '../support/waitInN8n';
import { idOf, numbered, WAIT, WaitingCrew } from '../support/waitingCrew';

describe('the limit', () => {
	const limited = (seconds: number) => ({ ...WAIT, resumeAmount: seconds, resumeUnit: 'seconds' });

	it('ends the wait with the truth of that moment', async () => {
		const crew = new WaitingCrew();
		const progress = { completed_tasks: 1, total_tasks: 3 };
		crew.answers.set(idOf(0), [200, { status: 'running', progress }]);
		const { resumed, waited } = await runWait(crew, limited(60), {
			items: numbered(2),
			meanwhile: completeAt(crew, 30_000, 1),
		});
		expect(resumed?.json).toEqual([
			{ kickoff_id: idOf(0), status: 'timed_out', progress },
			{ kickoff_id: idOf(1), status: 'completed', output: 'Text 1' },
		]);
		expect(waited).toBeGreaterThanOrEqual(MINUTE);
		expect(waited).toBeLessThanOrEqual(MINUTE + LATE);
	});

	it('keeps what callbacks said if the status endpoint hangs, in a time that grows with their number', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, limited(60), {
			items: numbered(100),
			meanwhile: (parked) => {
				setTimeout(() => {
					crew.statusDelay = 10 * MINUTE;
					void parked.call(crew.urls(7).crew, { body: { kickoff_id: idOf(7), result: 'Bees' } });
				}, 40_000);
			},
		});
		expect(waited).toBeLessThanOrEqual(MINUTE + 70_000 + LATE);
		expect(resumed?.json[7]).toEqual({ kickoff_id: idOf(7), status: 'completed', output: 'Bees' });
		expect(resumed?.json[8]).toMatchObject({ kickoff_id: idOf(8), status: 'timed_out' });
	});

	it('has all results of crews whose gateway is away at that moment and comes back', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, limited(60), {
			items: numbered(20),
			meanwhile: () => {
				setTimeout(() => {
					crew.complete(...numbered(20).map(({ n }) => n));
					crew.brokenUntil = Date.now() + 30_000;
				}, 50_000);
			},
			speed: 50,
		});
		expect(resumed?.json.map(({ status }) => status)).toEqual(Array(20).fill('completed'));
		expect(waited).toBeLessThanOrEqual(MINUTE + 30_000 + LATE);
		const asked = crew.askedAt.filter((time) => time < crew.brokenUntil);
		expect(asked.length).toBeLessThan(100);
	});

	it.each<[string, readonly [number, unknown?]]>([
		['something else than a crew', [200, '<html></html>']],
		['a process that does not know it', [404, { detail: 'Not found' }]],
		['a gateway that refuses the credential', [401, {}]],
		['a gateway that is away', [502]],
	])('has the result of a crew for which at that moment %s answers', async (_what, answer) => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, limited(60), {
			items: numbered(20),
			meanwhile: () => {
				completeAt(crew, 50_000, ...numbered(20).map(({ n }) => n))();
				setTimeout(() => {
					crew.completeAfter(7, 1, answer);
				}, 55_000);
			},
			speed: 50,
		});
		expect(resumed?.json.map(({ status }) => status)).toEqual(Array(20).fill('completed'));
		expect(waited).toBeLessThanOrEqual(MINUTE + 10_000);
	});

	it.each([
		['back', -60],
		['forward', 60],
	])('is kept if the clock is set %s by an hour', async (_what, minutes) => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, limited(60), {
			meanwhile: () => {
				setTimeout(() => {
					jest.setSystemTime(Date.now() + minutes * MINUTE);
				}, 10_000);
			},
			forAtMost: 70 * MINUTE,
		});
		const passed = waited - minutes * MINUTE;
		expect(resumed?.json).toMatchObject([{ status: 'timed_out' }]);
		expect(passed).toBeGreaterThanOrEqual(MINUTE);
		expect(passed).toBeLessThan(MINUTE + LATE);
	});

	it('says why, if the crew refuses the credential', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [401, { detail: 'No' }]);
		const { resumed, calls } = await runWait(crew, limited(60));
		expect(resumed?.json).toEqual([
			{
				kickoff_id: idOf(0),
				status: 'timed_out',
				error: 'The crew did not accept the access token',
			},
		]);
		expect(calls).toEqual(['wake', 'wake', 'wake']);
	});

	it.each([
		[
			500,
			{ error: 'The crew’s server could not answer (HTTP 500): the run itself may have failed' },
		],
		[429, {}],
	])(
		'says that the run may have failed if its status answers %i to the end',
		async (code, said) => {
			const crew = new WaitingCrew();
			crew.answers.set(idOf(0), [code, 'Internal Server Error']);
			const { resumed } = await runWait(crew, limited(60));
			expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'timed_out', ...said }]);
		},
	);

	it.each([
		[30, 30_000],
		[4, 4_000],
		[0.4, 400],
	])('of %d s leaves the crew all of that time', async (seconds, milliseconds) => {
		const crew = new WaitingCrew();
		const { waited } = await runWait(crew, limited(seconds), { speed: 10 });
		expect(waited).toBeGreaterThanOrEqual(milliseconds);
		expect(waited).toBeLessThan(milliseconds + 2_000);
	});

	it('of zero ends the wait before it begins', async () => {
		const crew = new WaitingCrew();
		const { shown } = await runWait(crew, limited(0));
		expect(shown.json).toEqual([{ kickoff_id: idOf(0), status: 'timed_out' }]);
	});
});
