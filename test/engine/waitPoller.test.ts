import { NOT_FOUND_MEANS } from '../../nodes/Crew/model/execution';
import { ParkedExecution } from '../support/parkedExecution';
import { completeAt, LATE, MINUTE, runWait } from '../support/waitInN8n';
import { idOf, numbered, POLLED, WAIT, WaitingCrew } from '../support/waitingCrew';

describe('a crew whose callback is lost', () => {
	it('is asked 3 s after the start, after 2 minutes, then every 4 to 4.5 minutes', async () => {
		const crew = new WaitingCrew();
		const { askedAfter, shown } = await runWait(crew, WAIT, { forAtMost: 12 * MINUTE });
		expect(shown.run.status).toBe('waiting');
		expect(askedAfter).toHaveLength(4);
		const [first = 0, second = 0, third = 0, fourth = 0] = askedAfter;
		expect(Math.abs(first - 3_000)).toBeLessThan(LATE);
		expect(Math.abs(second - 2 * MINUTE)).toBeLessThan(LATE);
		for (const pause of [third - second, fourth - third]) {
			expect(pause).toBeGreaterThanOrEqual(4 * MINUTE - LATE);
			expect(pause).toBeLessThan(4.5 * MINUTE + LATE);
		}
	});

	it('ends the wait within 5 minutes, as a crew does that fails and tells nobody', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited, calls } = await runWait(crew, WAIT, {
			meanwhile: () => {
				setTimeout(() => {
					crew.answers.set(idOf(0), [200, { status: 'error', error: 'No bees' }]);
				}, 3 * MINUTE);
			},
		});
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'failed', error: 'No bees' }]);
		expect(waited).toBeLessThan(3 * MINUTE + 5 * MINUTE);
		expect(calls).toEqual(['wake']);
	});

	it('ends the wait of a join, whose other crew has called back', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, WAIT, {
			items: numbered(2),
			meanwhile: (parked) => {
				setTimeout(() => {
					crew.complete(1);
					void parked.call(crew.urls(1).crew, { body: { kickoff_id: idOf(1) } });
				}, 30_000);
				completeAt(crew, 40_000, 0)();
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
		expect(waited).toBeLessThan(5 * MINUTE);
	});

	it('costs three requests if it takes 60 s and calls back', async () => {
		const crew = new WaitingCrew();
		const { resumed, calls } = await runWait(crew, WAIT, {
			meanwhile: () => {
				setTimeout(() => {
					crew.complete(0);
					void fetch(crew.urls().crew, { method: 'POST', body: '{"result":"Bees"}' });
				}, MINUTE);
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(crew.kickoffs.length + crew.asked.length).toBe(3);
		expect(calls).toEqual(['crew']);
	});

	it('makes the node poll later crews at the same address if that has happened twice in a row', async () => {
		const crew = new WaitingCrew();
		for (const n of [0, 1]) {
			await runWait(crew, WAIT, { items: [{ n }], meanwhile: completeAt(crew, MINUTE, n) });
		}
		const { waited } = await runWait(crew, WAIT, {
			items: [{ n: 2 }],
			meanwhile: completeAt(crew, MINUTE, 2),
		});
		expect(waited).toBeLessThan(MINUTE + 35_000);
		expect(crew.kickoffs.at(-1)).toHaveProperty('crewWebhookUrl');
	});
});

describe('without callbacks', () => {
	it('the crew is asked after a second, then with pauses that grow from the interval to 30 s', async () => {
		const crew = new WaitingCrew();
		const { askedAfter } = await runWait(crew, POLLED, { forAtMost: 3 * MINUTE });
		const pauses = askedAfter.map((time, index) => time - (askedAfter[index - 1] ?? 0));
		[1, 5, 7.5, 11.25, 16.9, 25.3, 30].forEach((seconds, index) => {
			expect(pauses[index]).toBeGreaterThanOrEqual(seconds * 900);
			expect(pauses[index]).toBeLessThanOrEqual(seconds * 1_100 + LATE);
		});
	});

	it('the crew gets no callback URLs, and its end is noticed', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, POLLED, {
			meanwhile: completeAt(crew, MINUTE, 0),
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(waited).toBeLessThan(MINUTE + 35_000);
		expect(crew.kickoffs).toEqual([{ inputs: { n: 0 } }]);
	});

	it('all waiting executions together ask no more at once than Max Parallel Requests', async () => {
		const crew = new WaitingCrew();
		crew.statusDelay = 2_000;
		const parameters = { ...POLLED, options: { ...POLLED.options, maxParallel: 2 } };
		const credential = { baseUrl: crew.baseUrl };
		await runWait(crew, parameters, {
			forAtMost: MINUTE,
			meanwhile: () => {
				for (let n = 1; n < 6; n++) {
					void ParkedExecution.park({ parameters }, { items: [{ n }], credential });
				}
			},
		});
		expect(new Set(crew.asked).size).toBe(6);
		expect(crew.mostAtOnce).toBe(2);
	});

	it('for a join, one running crew is enough to stop asking', async () => {
		const crew = new WaitingCrew();
		const meanwhile = completeAt(crew, MINUTE, ...numbered(40).map(({ n }) => n));
		const { resumed } = await runWait(crew, POLLED, { items: numbered(40), meanwhile });
		expect(resumed?.json).toHaveLength(40);
		const rounds = crew.asked.filter((id) => id === idOf(0)).length;
		expect(crew.asked.length).toBeLessThanOrEqual(rounds + 2 * 40);
	});

	it('a join ends, however long it takes to ask all of its crews', async () => {
		const crew = new WaitingCrew();
		crew.statusDelay = 2_000;
		const meanwhile = completeAt(crew, 100, ...numbered(100).map(({ n }) => n));
		const { resumed, calls } = await runWait(crew, POLLED, {
			items: numbered(100),
			meanwhile,
			speed: 20,
		});
		expect(resumed?.json.map(({ status }) => status)).toEqual(Array(100).fill('completed'));
		expect(calls).toEqual(['wake']);
	});

	it('Get Status waits, too', async () => {
		const crew = new WaitingCrew();
		const parameters = { operation: 'getStatus', kickoffId: idOf(0), wait: 'end' };
		const { shown, resumed } = await runWait(crew, parameters, {
			meanwhile: completeAt(crew, MINUTE, 0),
		});
		expect(shown.run.status).toBe('waiting');
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
	});
});

describe('the credential', () => {
	it('is read anew when the crew refuses it', async () => {
		const crew = new WaitingCrew();
		crew.acceptedToken = 'new';
		const credential = { baseUrl: crew.baseUrl, accessToken: 'old' };
		const { resumed } = await runWait(crew, POLLED, {
			credential,
			meanwhile: () => {
				setTimeout(() => {
					credential.accessToken = 'new';
				}, 30_000);
				setTimeout(() => {
					crew.complete(0);
				}, 4 * MINUTE);
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
		expect(new Set(crew.tokens)).toEqual(new Set(['Bearer old', 'Bearer new']));
	});

	it.each([
		['is not read again for a callback', [200, { status: 'completed' }], ['old']],
		['is read anew when the crew refuses it at a callback', [401], ['old', 'new']],
	] as const)('%s', async (_what, status, tokens) => {
		const crew = new WaitingCrew();
		const credential = { baseUrl: crew.baseUrl, accessToken: 'old' };
		const { resumed } = await runWait(crew, WAIT, {
			credential,
			meanwhile: () => {
				credential.accessToken = 'new';
				setTimeout(() => {
					crew.answers.set(idOf(0), status);
					void fetch(crew.urls().crew, { method: 'POST', body: '{"result":"Bees"}' });
				}, 30_000);
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Bees' }]);
		const expected = tokens.map((token) => `Bearer ${token}`);
		expect([...new Set(crew.tokens)]).toEqual(expected);
	});
});

describe('what is temporary during a wait', () => {
	it.each<[string, readonly [number, unknown?, Record<string, string>?]]>([
		['a proxy’s 404 page', [404, '<h1>Not found</h1>']],
		['a redirect to a maintenance page', [302, '', { location: 'https://proxy/maintenance' }]],
		['a page with 200', [200, '<html></html>']],
		['503', [503]],
	])('%s', async (_what, answer) => {
		const crew = new WaitingCrew();
		const { resumed } = await runWait(crew, POLLED, {
			meanwhile: () => {
				setTimeout(() => crew.answers.set(idOf(0), answer), 15_000);
				setTimeout(() => {
					crew.complete(0);
				}, MINUTE);
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
	});

	it('but not an execution that the crew does not know', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited } = await runWait(crew, POLLED, {
			meanwhile: () => {
				setTimeout(() => crew.answers.set(idOf(0), [404, { detail: 'Not found' }]), 15_000);
			},
		});
		expect(resumed?.json).toEqual([
			{ kickoff_id: idOf(0), status: 'not_found', ...NOT_FOUND_MEANS },
		]);
		expect(waited).toBeLessThan(1.5 * MINUTE);
	});

	it('nor an answer that is too large to read', async () => {
		const crew = new WaitingCrew();
		crew.answers.set(idOf(0), [200, `[${'[],'.repeat(1_000_000)}0]`]);
		const { resumed } = await runWait(crew, POLLED);
		expect(resumed?.json).toEqual([
			{
				kickoff_id: idOf(0),
				status: 'unknown',
				error: 'The crew’s answer contains more values than n8n reads',
			},
		]);
	});
});

it('a late kickoff has its own time in which the status may not know it', async () => {
	const crew = new WaitingCrew();
	crew.throttled.set(1, 8_000);
	crew.answers.set(idOf(1), [404, { detail: 'Not found' }]);
	crew.complete(0);
	const { resumed } = await runWait(crew, POLLED, {
		items: numbered(2),
		meanwhile: completeAt(crew, 8_000, 1),
	});
	expect(resumed?.json).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
});
