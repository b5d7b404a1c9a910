import {
	begin,
	hasRoom,
	send,
	settle,
	type Parallelism,
} from '../../../nodes/Crew/api/parallelism';
import {
	bearing,
	breakingBeyond,
	processorBound,
	simulate,
	slowing,
	steady,
	START,
	type SimulatedCrew,
} from '../../support/simulatedCrew';

const ITEMS = 500;
/** When a run begins that follows one a minute later. */
const MINUTE = 60_000;

/** A run, and another one a minute after its end, when the crew's number is known. */
function coldAndWarm(crew: SimulatedCrew) {
	const cold = simulate(crew);
	const warm = simulate(crew, { known: cold.known, from: START + cold.time + MINUTE });
	return { cold, warm };
}

/** Where the crew bore so many at once, and answered all in time. */
function knowing(atOnce: number): Parallelism {
	return { ...begin(), atOnce, borne: atOnce, isWell: true, usedAt: START };
}

describe('a crew that takes 64 at once', () => {
	it.each([
		[200, 2_500, 1_800],
		[1_000, 11_600, 8_400],
	])('and answers after %i ms gets %i kickoffs in time', (latency, cold, warm) => {
		const runs = coldAndWarm(steady(latency));
		expect(runs.cold.time).toBeLessThanOrEqual(cold);
		expect(runs.warm.time).toBeLessThanOrEqual(warm);
		expect([runs.cold.most, runs.warm.most]).toEqual([64, 64]);
	});

	it('begins with 10 and grows by half', () => {
		const steps = new Set<number>();
		simulate(({ underWay, ...request }) => {
			steps.add(underWay + 1);
			return steady(1_000)({ underWay, ...request });
		});
		expect(Math.max(...steps)).toBe(64);
		const known = simulate(steady(1_000), { items: 24 }).known;
		expect(known.atOnce).toBe(15);
		expect(simulate(steady(1_000), { items: 25 }).known.atOnce).toBe(22);
	});

	it('answers as fast as chance has it, and is found to take more all the same', () => {
		for (let seed = 1; seed <= 100; seed++) {
			const { known } = simulate(steady(600, 0.5), { items: 1_000, seed });
			expect(known.atOnce).toBeGreaterThanOrEqual(33);
		}
	});
});

describe.each([20, 200, 1_000])('after %i ms', (latency) => {
	describe.each([5, 20, 100])('a crew that bears %i at once', (most) => {
		it.each([
			['answers 429', undefined],
			['answers 429 and asks to wait 1 s', 1_000],
			['answers 429 and asks to wait 5 s', 5_000],
		])('and %s to others takes all items once', (_what, retryAfter) => {
			const crew = bearing(most, latency, retryAfter);
			const exactly = simulate(crew, { given: Math.min(64, most) });
			const { cold, warm } = coldAndWarm(crew);
			for (const run of [cold, warm]) {
				expect(run).toMatchObject({ started: ITEMS, failed: 0, unclear: 0 });
				expect(run.requests).toBeLessThanOrEqual(ITEMS * 1.1);
			}
			const pauses = (retryAfter ?? 0) * 1.1;
			expect(cold.time).toBeLessThanOrEqual(exactly.time * 1.5 + pauses);
			expect(warm.time).toBeLessThanOrEqual(exactly.time * 1.25);
		});
	});
});

it('takes a crew that bears 20 at once no more than a quarter longer than exactly 20 do', () => {
	const crew = bearing(20, 200);
	const { cold } = coldAndWarm(crew);
	expect(cold.time).toBeLessThanOrEqual(simulate(crew, { given: 20 }).time * 1.25);
});

describe('a gateway that answers 502', () => {
	it.each([
		['at once', 2],
		['as late as the crew', 200],
		['after a minute', MINUTE],
	])('above 30, %s, leaves no more than one in a hundred unclear', (_when, after) => {
		const crew = breakingBeyond(30, 200, after);
		const { cold, warm } = coldAndWarm(crew);
		expect(simulate(crew, { given: 10 }).unclear).toBe(0);
		expect(cold.unclear).toBeLessThanOrEqual(ITEMS / 100);
		expect(warm.unclear).toBe(0);
		expect(warm.most).toBeGreaterThan(10);
	});

	it('at once, leaves no more than one in a hundred unclear wherever it begins', () => {
		for (let most = 10; most <= 64; most++) {
			const { cold, warm } = coldAndWarm(breakingBeyond(most, 200, 2));
			expect(cold.unclear).toBeLessThanOrEqual(ITEMS / 100);
			expect(warm.unclear).toBe(0);
		}
	});

	it.each([1, 2, 4, 8])('above %i, leaves far fewer unclear than 10 at once do', (most) => {
		const crew = breakingBeyond(most, 200, 200);
		const { unclear } = simulate(crew);
		expect(unclear).toBeLessThanOrEqual(simulate(crew, { given: 10 }).unclear / 10);
	});
});

describe('a crew that is bound by its processor', () => {
	it.each([50, 200])('with 4 at once, %i ms each, is kept busy and not flooded', (work) => {
		const best = Math.min(
			...[4, 10, 30, 64].map((given) => simulate(processorBound(4, work), { given }).time),
		);
		const { cold } = coldAndWarm(processorBound(4, work));
		expect(best / cold.time).toBeGreaterThanOrEqual(0.95);
		expect(cold.most).toBeLessThanOrEqual(22);
	});
});

describe('a crew that becomes slower', () => {
	it('the more it is asked at once is not asked by more and more', () => {
		const crew = slowing(200, 20);
		const run = simulate(crew);
		expect(run.most).toBeLessThan(64);
		for (const given of [10, 64]) {
			expect(run.time).toBeLessThan(simulate(crew, { given }).time);
		}
	});
});

/** What is otherwise well between two moments, in milliseconds since the run began. */
function between(from: number, to: number, reply: ReturnType<SimulatedCrew>): SimulatedCrew {
	return ({ now }) => (now >= from && now < to ? reply : { after: 200, kind: 'well' });
}

describe('a crew that closes connections', () => {
	it('gets half as many, and no more in that run', () => {
		const crew = between(1_500, 1_600, { after: 2, kind: 'broken' });
		const { cold, warm } = coldAndWarm(crew);
		expect(cold.known.atOnce).toBeLessThanOrEqual(32);
		expect(warm.known.atOnce).toBeGreaterThan(50);
	});

	it('again and again, however many there are, still gets some', () => {
		const sporadic: SimulatedCrew = ({ random }) => ({
			after: 200,
			kind: random() < 0.02 ? 'broken' : 'well',
		});
		expect(simulate(sporadic).started).toBeGreaterThan(ITEMS * 0.95);
	});
});

describe('a crew that is down', () => {
	it('for a minute gets what was refused afterwards, as many at once as before', () => {
		const crew = between(1_500, 61_500, { after: 2, kind: 'refused' });
		const run = simulate(crew);
		expect(run).toMatchObject({ started: ITEMS, failed: 0 });
		// One now and then, to see whether it is up again.
		expect(run.requests).toBeLessThanOrEqual(ITEMS + 64 + 20);
		expect(run.known.atOnce).toBeGreaterThan(30);
	});

	it('for good is given up after ten minutes, with all that waits', () => {
		const run = simulate(between(1_500, Infinity, { after: 2, kind: 'refused' }));
		expect(run.started + run.failed).toBe(ITEMS);
		expect(run.time).toBeGreaterThan(600_000);
		expect(run.time).toBeLessThan(700_000);
	});

	it('from the first request on is not waited for', () => {
		const run = simulate(() => ({ after: 2, kind: 'refused' }));
		expect(run.failed).toBe(ITEMS);
		expect(run.time).toBeLessThan(10_000);
	});
});

describe('a number that was given', () => {
	it.each<[string, SimulatedCrew]>([
		['is quick', steady(20)],
		['answers 429 beyond 20', bearing(20, 200)],
		['answers 502 beyond 20', breakingBeyond(20, 200, 2)],
	])('is kept where the crew %s', (_what, crew) => {
		const run = simulate(crew, { given: 40 });
		expect(run.known.atOnce).toBe(40);
		expect(run.failed).toBe(0);
	});
});

describe('what is known', () => {
	it.each([
		['for some minutes', 9 * MINUTE, 64],
		['and forgotten then', 10 * MINUTE, 10],
	])('is remembered %s', (_what, pause, expected) => {
		expect(send(knowing(64), 0, START + pause).after.atOnce).toBe(expected);
	});

	it('of a crew that refused too many is forgotten ten minutes later, also if it was used since', () => {
		const known = { ...knowing(18), most: 18, fellAt: START };
		const { after } = send({ ...known, usedAt: START + 9 * MINUTE }, 0, START + 11 * MINUTE);
		expect(after).toMatchObject({ atOnce: 18, most: 64, isGrowing: true });
	});

	it('does not change by what says nothing of the crew', () => {
		const { sent, after } = send(knowing(20), 0, START);
		expect(settle(after, sent, { kind: 'unheard' }, START, 0)).toEqual(after);
	});

	it('grows by nothing where only few requests come', () => {
		let known = begin();
		for (let request = 0; request < 100; request++) {
			const { sent, after } = send(known, 0, START + request * 100);
			known = settle(after, sent, { kind: 'well' }, sent.at + 50, 0);
		}
		expect(known.atOnce).toBe(10);
	});

	it('says how many have room', () => {
		expect(hasRoom(begin(3), 2, START)).toBe(true);
		expect(hasRoom(begin(3), 3, START)).toBe(false);
	});
});
