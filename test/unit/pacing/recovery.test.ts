import fc from 'fast-check';
import { simulate, steady, type Reply, type SimulatedCrew } from '../../support/simulatedCrew';

/** Milliseconds within which the limiter has to recover, and over which the rate is compared then. */
const RECOVERY = 30_000;
const WINDOW = 10_000;
const CASES = Number(process.env.FUZZ_CASES ?? 60);

const replies: fc.Arbitrary<Reply> = fc.record(
	{
		kind: fc.constantFrom('success', 'refused', 'failed'),
		after: fc.integer({ min: 1, max: 5_000 }),
		retryAfter: fc.constantFrom(0, 1_000, 5_000),
	},
	{ requiredKeys: ['kind', 'after'] },
);

/** Answers that come in turn, again and again, for this many milliseconds. */
interface Phase {
	replies: Reply[];
	lasts: number;
}

const phases: fc.Arbitrary<Phase[]> = fc.array(
	fc.record({
		replies: fc.array(replies, { minLength: 1, maxLength: 8 }),
		lasts: fc.integer({ min: 100, max: 60_000 }),
	}),
	{ minLength: 1, maxLength: 4 },
);

/** A crew that is healthy after these phases. */
function recovering(past: readonly Phase[], latency: number): SimulatedCrew {
	const well = steady(latency);
	let request = 0;
	return (asked) => {
		let end = 0;
		const phase = past.find(({ lasts }) => asked.now < (end += lasts));
		return phase?.replies[request++ % phase.replies.length] ?? well(asked);
	};
}

/** How many items a crew gets in a second under steady load, half a minute after these phases. */
function rateAfter(past: readonly Phase[], latency: number): number {
	const from = past.reduce((sum, { lasts }) => sum + lasts, RECOVERY);
	const load = { items: Infinity, lasts: from + WINDOW };
	const { startedAt } = simulate(recovering(past, latency), load);
	return startedAt.filter((at) => at >= from && at < from + WINDOW).length / (WINDOW / 1_000);
}

test.each([20, 200, 600, 1_000])(
	'whatever a crew has answered, 30 s after it is healthy again the rate is that of a fresh start, with %i ms',
	(latency) => {
		const fresh = rateAfter([], latency);
		const property = fc.property(phases, (past) => {
			expect(rateAfter(past, latency)).toBeGreaterThanOrEqual(0.8 * fresh);
		});
		fc.assert(property, { numRuns: CASES, seed: Number(process.env.FUZZ_SEED ?? 1) });
	},
);

test('three failures under steady load do not keep the rate down', () => {
	const failure = { kind: 'failed', after: 50 } as const;
	const past = [{ replies: [failure, failure, failure], lasts: 100 }];
	expect(rateAfter(past, 200)).toBeGreaterThanOrEqual(0.8 * rateAfter([], 200));
});
