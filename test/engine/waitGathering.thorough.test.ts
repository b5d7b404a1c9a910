import { completeAt, MINUTE, runWait } from '../support/waitInN8n';
import { SeededRandom } from '../support/seededRandom';
import { idOf, numbered, POLLED, WAIT, WaitingCrew } from '../support/waitingCrew';

const limited = (minutes: number) => ({ ...WAIT, resumeAmount: minutes, resumeUnit: 'minutes' });

/** Lets these executions complete with a text of this many characters, which the callbacks have, too. */
function endWith(crew: WaitingCrew, count: number, size: number): string[] {
	const texts = numbered(count).map(({ n }) => String(n).padEnd(size, '.'));
	texts.forEach((output, n) => {
		crew.answers.set(idOf(n), [200, { status: 'completed', result: { output } }]);
	});
	return texts;
}

describe('the results of crews are gathered without a hurry', () => {
	it('of 80 that call back with 250 kB each, more than a process keeps', async () => {
		const crew = new WaitingCrew();
		let texts: string[] = [];
		const { resumed, waited } = await runWait(crew, WAIT, {
			items: numbered(80),
			meanwhile: (parked) => {
				texts = endWith(crew, 80, 250_000);
				texts.forEach((result, n) => {
					const body = { kickoff_id: idOf(n), result };
					setTimeout(() => void parked.call(crew.urls(n).crew, { body }), 5_000 + 10 * n);
				});
			},
			speed: 20,
		});
		expect(resumed?.json.map(({ output }) => output)).toEqual(texts);
		expect(waited).toBeLessThan(5 * MINUTE);
	}, 120_000);

	it.each([
		['long ago', 1_000],
		['a moment before', 10 * MINUTE - 5_000],
	])('at the limit, if 79 of 80 have ended %s and a status takes a second', async (_, at) => {
		const crew = new WaitingCrew();
		crew.statusDelay = 1_000;
		// Asking all takes 16 s.
		const options = { ...WAIT.options, maxParallel: 5 };
		const outcome = await runWait(
			crew,
			{ ...limited(10), options },
			{
				items: numbered(80),
				meanwhile: completeAt(crew, at, ...numbered(79).map(({ n }) => n)),
				forAtMost: 20 * MINUTE,
			},
		);
		expect(outcome.resumed?.json.map(({ status }) => status)).toEqual([
			...Array<string>(79).fill('completed'),
			'timed_out',
		]);
		expect(outcome.waited).toBeGreaterThanOrEqual(10 * MINUTE);
		expect(outcome.waited).toBeLessThan(12 * MINUTE);
	});

	it('if a status takes 6 s', async () => {
		const crew = new WaitingCrew();
		crew.statusDelay = 6_000;
		const { resumed, waited } = await runWait(crew, WAIT, {
			meanwhile: (parked) => {
				crew.complete(0);
				void parked.call(crew.urls().crew, { body: { kickoff_id: idOf(0) } });
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(waited).toBeLessThan(15_000);
	});

	it('of a crew that accepts 60 requests a minute', async () => {
		const crew = new WaitingCrew();
		crew.perMinute = 60;
		const { resumed, waited } = await runWait(
			crew,
			{ ...POLLED, ...limited(10), options: POLLED.options },
			{
				items: numbered(30),
				meanwhile: completeAt(crew, 30_000, ...numbered(30).map(({ n }) => n)),
			},
		);
		expect(resumed?.json.map(({ status }) => status)).toEqual(Array(30).fill('completed'));
		expect(waited).toBeLessThan(5 * MINUTE);
	});

	it('with the known credential, if that was deleted', async () => {
		const crew = new WaitingCrew();
		const credential = { baseUrl: crew.baseUrl };
		const { resumed } = await runWait(crew, POLLED, {
			credential,
			meanwhile: () => {
				credential.baseUrl = '';
				completeAt(crew, MINUTE, 0)();
			},
		});
		expect(resumed?.json).toEqual([{ kickoff_id: idOf(0), status: 'completed', output: 'Text 0' }]);
	});

	it('and says so if an output is gone that was too much to keep', async () => {
		const crew = new WaitingCrew();
		const { resumed } = await runWait(crew, limited(10), {
			items: numbered(3),
			meanwhile: (parked) => {
				const large = endWith(crew, 2, 9_000_000);
				large.forEach((result, n) => {
					const body = { kickoff_id: idOf(n), result };
					setTimeout(() => void parked.call(crew.urls(n).crew, { body }), 1_000 + 5_000 * n);
				});
				setTimeout(() => {
					crew.answers.set(idOf(1), [404, { detail: 'Not found' }]);
					crew.complete(2);
				}, MINUTE);
			},
			speed: 50,
		});
		expect(resumed?.json[0]?.output).toHaveLength(9_000_000);
		expect(resumed?.json.slice(1)).toEqual([
			{
				kickoff_id: idOf(1),
				status: 'completed',
				error: 'The crew has ended, but its output can no longer be read',
			},
			{ kickoff_id: idOf(2), status: 'completed', output: 'Text 2' },
		]);
	});
});

describe('the pace', () => {
	it.each([
		['one refusal', 70_000],
		['ten minutes of refusals', 10 * MINUTE],
	])('recovers after %s of the credential', async (_what, until) => {
		const crew = new WaitingCrew();
		const { askedAfter } = await runWait(crew, POLLED, {
			meanwhile: () => {
				setTimeout(() => crew.answers.set(idOf(0), [403, {}]), 40_000);
				setTimeout(() => crew.answers.delete(idOf(0)), until);
			},
			forAtMost: until + 10 * MINUTE,
		});
		const late = askedAfter.filter((time) => time > until + 5 * MINUTE);
		expect(late.length).toBeGreaterThanOrEqual(8);
	});

	it('is that of polling if the user’s own URL gets the questions', async () => {
		const crew = new WaitingCrew();
		const callbackUrls = { humanInputWebhookUrl: 'https://example.com/own' };
		const parameters = { ...WAIT, callbacks: 'custom', callbackUrls };
		const { resumed, waited } = await runWait(crew, parameters, {
			meanwhile: () => {
				setTimeout(() => {
					crew.answers.set(idOf(0), [200, { status: 'pending_human_input', task_id: 'write' }]);
				}, MINUTE);
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'pending_human_input' }]);
		expect(waited).toBeLessThan(MINUTE + 35_000);
	});

	it('asks again if only some of a crew’s processes know an execution', async () => {
		const crew = new WaitingCrew();
		let questions = 0;
		const { resumed, waited } = await runWait(crew, POLLED, {
			meanwhile: () => {
				crew.answerWith(idOf(0), () =>
					questions++ % 3 === 0 ? [200, { status: 'running' }] : [404, { detail: 'Not found' }],
				);
				completeAt(crew, 3 * MINUTE, 0)();
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed' }]);
		expect(waited).toBeGreaterThanOrEqual(3 * MINUTE);
	});
});

describe('n8n is asked whether it has continued', () => {
	it('again if it has said that it could not, with the gathered results', async () => {
		const crew = new WaitingCrew();
		const { resumed, waited, parked } = await runWait(crew, POLLED, {
			meanwhile: (waiting) => {
				waiting.failures = 2;
				completeAt(crew, 10_000, 0)();
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(parked?.ends).toBe(3);
		expect(waited).toBeLessThan(35_000);
	});

	it('and then continues once, if it holds the execution for minutes', async () => {
		const crew = new WaitingCrew();
		const { resumed, parked } = await runWait(crew, WAIT, {
			meanwhile: (waiting) => {
				waiting.room = new Promise((resolve) => setTimeout(resolve, 5 * MINUTE));
				crew.complete(0);
				for (let at = 5_000; at < 4 * MINUTE; at += 20_000) {
					setTimeout(
						() => void waiting.call(crew.urls().crew, { body: { kickoff_id: idOf(0) } }),
						at,
					);
				}
			},
		});
		expect(resumed?.json).toMatchObject([{ status: 'completed', output: 'Text 0' }]);
		expect(parked?.ends).toBe(1);
	});

	it('every hour, so that the crews of a cancelled execution are not asked forever', async () => {
		const crew = new WaitingCrew();
		const { askedAfter } = await runWait(
			crew,
			{ ...WAIT, limitWaitTime: false },
			{
				refuse: () => [409, { message: 'The execution "execution-1" has finished with error.' }],
				forAtMost: 120 * MINUTE,
				speed: 5_000,
			},
		);
		expect(askedAfter.at(-1)).toBeLessThan(70 * MINUTE);
	}, 120_000);
});

describe('whatever the network does, every item has what its crew has done', () => {
	const COUNT = 12;
	/** `SEEDS=7,8` runs these. */
	const SEEDS = (process.env.SEEDS ?? '1,2,3,4').split(',').map(Number);

	/** A number from 0 up to, but not including, `most`. */
	const below = (chance: SeededRandom, most: number) => Math.floor(chance.fraction() * most);

	/** Lets crews end, with callbacks that come late, twice or not at all. */
	function endAtRandom(crew: WaitingCrew, chance: SeededRandom): void {
		for (const { n } of numbered(COUNT)) {
			const end = below(chance, 3 * MINUTE);
			completeAt(crew, end, n)();
			const late = () => end + below(chance, 2) * below(chance, MINUTE);
			// Early ones are false.
			const times = numbered(below(chance, 3)).map(late);
			if (chance.fraction() < 0.2) times.push(below(chance, end + 1));
			for (const time of crew.urls(n).crew === '' ? [] : times) {
				const body = { kickoff_id: idOf(n), result: `Told ${n}` };
				const send = { method: 'POST', body: JSON.stringify(body) };
				setTimeout(() => void fetch(crew.urls(n).crew, send), time);
			}
		}
	}

	const NO_ANSWERS: ReadonlyArray<ReturnType<WaitingCrew['inItsPlace']>> = [
		[200, '<html></html>'],
		[200, '[]'],
		[302, '', { location: '/login' }],
		[404, '<h1>Not found</h1>'],
		[429, {}, { 'retry-after': '3' }],
		[503],
	];

	/** Makes the status endpoint slow, throttled and broken for a while; now and then, something else answers. */
	function disturb(crew: WaitingCrew, chance: SeededRandom): void {
		const often = chance.fraction() / 3;
		crew.inItsPlace = () =>
			chance.fraction() < often ? NO_ANSWERS[below(chance, NO_ANSWERS.length)] : undefined;
		for (let time = 0; time < 4 * MINUTE; time += 20_000 + below(chance, MINUTE)) {
			setTimeout(() => {
				crew.statusDelay = chance.fraction() < 0.5 ? 0 : below(chance, 8_000);
				crew.brokenUntil = Date.now() + (chance.fraction() < 0.5 ? 0 : below(chance, 10_000));
			}, time);
		}
	}

	it.each(SEEDS)('seed %d', async (seed) => {
		const chance = new SeededRandom(seed);
		const crew = new WaitingCrew();
		crew.perMinute = 30 + below(chance, 200);
		const parameters = chance.fraction() < 0.5 ? WAIT : POLLED;
		const { resumed } = await runWait(crew, parameters, {
			items: numbered(COUNT),
			meanwhile: (waiting) => {
				waiting.failures = below(chance, 3);
				endAtRandom(crew, chance);
				disturb(crew, chance);
			},
			forAtMost: 59 * MINUTE,
		});
		expect(resumed?.json).toEqual(
			numbered(COUNT).map(({ n }) => ({
				kickoff_id: idOf(n),
				status: 'completed',
				output: `Text ${n}`,
			})),
		);
		expect(crew.kickoffs).toHaveLength(COUNT);
	});
});
