import { ConcurrencyLimiter } from '../../../nodes/Crew/pacing/concurrencyLimiter';
import {
	bearing,
	breakingBeyond,
	processorBound,
	simulate,
	slowing,
	steady,
	type Reply,
	type SimulatedCrew,
} from '../../support/simulatedCrew';

const ITEMS = 500;
const MINUTE = 60_000;

/** A run with exactly this many at once. */
const runWith = (given: number, crew: SimulatedCrew) =>
	simulate(crew, { limiter: new ConcurrencyLimiter(given) });

/** A run, and another one a minute after its end, when the crew's limit is known. */
function coldAndWarm(crew: SimulatedCrew) {
	const cold = simulate(crew);
	const warm = simulate(crew, { limiter: cold.limiter, from: cold.endedAt + MINUTE });
	return { cold, warm };
}

/** The most requests at once that are allowed. */
const MOST = 100;

/** A limiter that has reached that limit with a crew, in a run that ended at `endedAt`. */
const knowingMost = () => simulate(steady(200));

describe('a crew that takes any number at once', () => {
	it.each([
		[200, 2_100, 1_300],
		[1_000, 9_600, 5_400],
	])('and answers after %i ms gets all kickoffs within %i ms, at first', (latency, cold, warm) => {
		const runs = coldAndWarm(steady(latency));
		expect(runs.cold.time).toBeLessThanOrEqual(cold);
		expect(runs.warm.time).toBeLessThanOrEqual(warm);
		expect([runs.cold.most, runs.warm.most]).toEqual([MOST, MOST]);
	});

	it('begins with 10 and grows by half', () => {
		const limits = [10, 24, 25].map((items) => simulate(steady(1_000), { items }).limiter.limit);
		expect(limits).toEqual([15, 15, 22]);
		expect(simulate(steady(1_000), { items: 9 }).limiter.limit).toBe(10);
	});

	it('and answers at random speed is still found to accept more', () => {
		for (let seed = 1; seed <= 100; seed++) {
			const { limiter } = simulate(steady(600, 0.5), { items: 1_000, seed });
			expect(limiter.limit).toBeGreaterThanOrEqual(33);
		}
	});
});

describe.each([20, 200, 1_000])('after %i ms', (latency) => {
	describe.each([5, 20, 100])('a crew that can handle %i at once', (most) => {
		it.each([
			['answers 429', undefined],
			['answers 429 and asks to wait 1 s', 1_000],
			['answers 429 and asks to wait 5 s', 5_000],
		])('and %s to others starts each item once', (_what, retryAfter) => {
			const crew = bearing(most, latency, retryAfter);
			const exactly = runWith(Math.min(64, most), crew);
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

it('takes at most a quarter longer, with a crew that can handle 20 at once, than with exactly 20', () => {
	const crew = bearing(20, 200);
	const { cold } = coldAndWarm(crew);
	expect(cold.time).toBeLessThanOrEqual(runWith(20, crew).time * 1.25);
});

describe('a gateway that answers 502', () => {
	it.each([
		['at once', 2],
		['as late as the crew', 200],
		['after a minute', MINUTE],
	])('above 30, %s, leaves no more than one in a hundred unclear', (_when, after) => {
		const crew = breakingBeyond(30, 200, after);
		const { cold, warm } = coldAndWarm(crew);
		expect(runWith(10, crew).unclear).toBe(0);
		expect(cold.unclear).toBeLessThanOrEqual(ITEMS / 100);
		expect(warm.unclear).toBe(0);
		expect(warm.most).toBeGreaterThan(10);
	});

	it('at once, leaves no more than one in a hundred unclear, above any number', () => {
		for (let most = 10; most <= MOST; most++) {
			const { cold, warm } = coldAndWarm(breakingBeyond(most, 200, 2));
			expect(cold.unclear).toBeLessThanOrEqual(ITEMS / 100);
			expect(warm.unclear).toBe(0);
		}
	});

	it('above 30 under steady load, leaves no more than one in a thousand unclear', () => {
		const run = simulate(breakingBeyond(30, 200, 200), { items: 20_000 });
		expect(run.unclear).toBeLessThanOrEqual(20);
		expect(run.time).toBeLessThan(runWith(20, steady(200)).time * (20_000 / ITEMS));
	});

	it.each([1, 2, 4, 8])('above %i, leaves far fewer unclear than 10 at once do', (most) => {
		const crew = breakingBeyond(most, 200, 200);
		expect(simulate(crew).unclear).toBeLessThanOrEqual(runWith(10, crew).unclear / 10);
	});
});

describe('a crew that is limited by its processor', () => {
	it.each([50, 200])('with 4 at once, %i ms each, is kept busy and not flooded', (work) => {
		const times = [4, 10, 30, MOST].map((given) => runWith(given, processorBound(4, work)).time);
		const { cold } = coldAndWarm(processorBound(4, work));
		expect(Math.min(...times) / cold.time).toBeGreaterThanOrEqual(0.95);
		expect(cold.most).toBeLessThanOrEqual(22);
	});

	it.each([
		[2, 1_000, 1_000, 22],
		[4, 50, 20_000, 22],
		[16, 200, 20_000, 33],
	])(
		'with %i at once, %i ms each, is not flooded over time, either',
		(workers, work, items, most) => {
			const run = simulate(processorBound(workers, work), { items });
			expect(run.most).toBeLessThanOrEqual(most);
		},
	);
});

describe('a crew that becomes slower', () => {
	it('with more requests at once does not get more and more', () => {
		const crew = slowing(200, 20);
		const run = simulate(crew);
		expect(run.most).toBeLessThan(64);
		for (const given of [10, 64, MOST]) expect(run.time).toBeLessThan(runWith(given, crew).time);
	});

	it('for some seconds, whatever the number at once, soon gets as many as before', () => {
		const crew: SimulatedCrew = ({ now }) => ({
			after: now >= 3_000 && now < 8_000 ? 2_000 : 200,
			kind: 'success',
		});
		const { startedAt } = simulate(crew, { items: 20_000 });
		const rate = startedAt.filter((at) => at >= 28_000 && at < 30_000).length / 2;
		expect(rate).toBeGreaterThan(0.8 * (MOST / 0.2));
	});
});

/** A healthy crew that replies like this between two moments, in milliseconds since the run began. */
function between(from: number, to: number, reply: Reply): SimulatedCrew {
	return ({ now }) => (now >= from && now < to ? reply : { after: 200, kind: 'success' });
}

describe('a crew that closes connections', () => {
	it('gets half as many, and then as many as before, along the curve', () => {
		const crew = between(1_500, 1_600, { after: 2, kind: 'failed' });
		const { limiter } = simulate(crew);
		expect(limiter.limit).toBeLessThanOrEqual(48);
		expect(simulate(crew, { items: 6_000 }).limiter.limit).toBeGreaterThan(90);
	});

	it('gets as many reads as before within 10 s, since those may be sent again', () => {
		const crew = between(1_500, 1_600, { after: 2, kind: 'failed' });
		const [reads, starts] = [true, false].map((isForReads) => {
			const limiter = new ConcurrencyLimiter(0, isForReads);
			return simulate(crew, { limiter, items: Infinity, lasts: 10_000 }).limiter.limit;
		});
		expect(reads).toBeGreaterThan(80);
		expect(starts).toBeLessThan(60);
	});

	it('again and again, at any number, still gets some', () => {
		const sporadic: SimulatedCrew = ({ random }) => ({
			after: 200,
			kind: random() < 0.02 ? 'failed' : 'success',
		});
		const run = simulate(sporadic);
		expect(run.started).toBeGreaterThan(ITEMS * 0.95);
		expect(run.time).toBeLessThan(runWith(10, sporadic).time);
	});
});

it('a crew that is away for 2 s of every 10 gets more than a fixed number would send', () => {
	const crew: SimulatedCrew = ({ now }) =>
		now % 10_000 >= 8_000 ? { after: 2, kind: 'failed' } : { after: 1_000, kind: 'success' };
	const [found, fixed] = [0, 10].map((given) => {
		const limiter = new ConcurrencyLimiter(given);
		return simulate(crew, { limiter, items: Infinity, lasts: 2 * MINUTE }).started;
	});
	expect(found).toBeGreaterThan(fixed!);
});

describe('a crew that is down', () => {
	it('for a minute gets the refused requests afterwards, as many at once as before', () => {
		const crew = between(1_500, 61_500, { after: 2, kind: 'refused' });
		const run = simulate(crew);
		expect(run).toMatchObject({ started: ITEMS, failed: 0 });
		// One request now and then checks whether it is up again.
		expect(run.requests).toBeLessThanOrEqual(ITEMS + MOST + 20);
		expect(run.limiter.limit).toBeGreaterThan(30);
	});

	it('for good is given up after ten minutes, with everything that waits', () => {
		const run = simulate(between(1_500, Infinity, { after: 2, kind: 'refused' }));
		expect(run.started + run.failed).toBe(ITEMS);
		expect(run.time).toBeGreaterThan(600_000);
		expect(run.time).toBeLessThan(700_000);
	});

	it('from the first request on gets no patience', () => {
		const run = simulate(() => ({ after: 2, kind: 'refused' }));
		expect(run.failed).toBe(ITEMS);
		expect(run.time).toBeLessThan(10_000);
	});
});

describe('a crew that accepts 60 requests a minute', () => {
	it('gets all items, with the pauses that it asks for', () => {
		let [minute, taken] = [0, 0];
		const crew: SimulatedCrew = ({ now }) => {
			const current = Math.floor(now / MINUTE);
			if (current > minute) [minute, taken] = [current, 0];
			const retryAfter = (current + 1) * MINUTE - now;
			return taken++ < 60
				? { after: 200, kind: 'success' }
				: { after: 2, kind: 'refused', retryAfter };
		};
		const run = simulate(crew, { items: 300 });
		expect(run).toMatchObject({ started: 300, failed: 0 });
		expect(run.time).toBeLessThan(5 * MINUTE);
		// In each minute, no more refused requests than ran at the same time.
		expect(run.requests).toBeLessThanOrEqual(300 + 5 * 15);
	});
});

describe('a given number', () => {
	it.each<[string, SimulatedCrew]>([
		['is quick', steady(20)],
		['answers 429 beyond 20', bearing(20, 200)],
		['answers 502 beyond 20', breakingBeyond(20, 200, 2)],
	])('is kept if the crew %s', (_what, crew) => {
		const run = runWith(40, crew);
		expect(run.limiter.limit).toBe(40);
		expect(run.most).toBeLessThanOrEqual(40);
		expect(run.failed).toBe(0);
	});

	it('numbers the slots, and gives none beyond the limit', () => {
		const limiter = new ConcurrencyLimiter(3);
		const slots = [1, 2, 3, 4].map(() => limiter.tryAcquire(0)?.place);
		expect(slots).toEqual([1, 2, 3, undefined]);
	});
});

describe('a known limit', () => {
	it.each([
		['for some minutes', 9 * MINUTE, MOST],
		['and then forgotten', 10 * MINUTE, 10],
	])('is remembered %s', (_what, pause, expected) => {
		const { limiter, endedAt } = knowingMost();
		limiter.tryAcquire(endedAt + pause);
		expect(limiter.limit).toBe(expected);
	});

	it('does not change with answers that say nothing about the crew', () => {
		const { limiter, endedAt } = knowingMost();
		for (let time = endedAt; time < endedAt + MINUTE; time += 100) {
			const slot = limiter.tryAcquire(time)!;
			limiter.release(slot, { kind: 'ignored' }, time + 50, 0);
		}
		expect(limiter.limit).toBe(MOST);
	});

	it('does not grow if there are only few requests', () => {
		const limiter = new ConcurrencyLimiter(0);
		for (let time = 0; time < 10_000; time += 100) {
			limiter.release(limiter.tryAcquire(time)!, { kind: 'success' }, time + 50, 0);
		}
		expect(limiter.limit).toBe(10);
	});
});
