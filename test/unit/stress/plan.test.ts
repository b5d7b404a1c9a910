import { planOf, type PlannedItem } from '../../stress/plan';

const A_MINUTE = 60_000;
const charactersOf = ({ outcome }: PlannedItem) =>
	'output' in outcome ? outcome.output.length : 0;

/** A plan with the first answers of its crew. */
function firstOf(seed: number) {
	const { next, ...plan } = planOf(seed, 300, A_MINUTE);
	const asked = ['kickoff', 'status', 'status', 'kickoff', 'status'] as const;
	return { ...plan, answers: asked.map(next) };
}

test('the same seed gives the same plan, another seed another one', () => {
	expect(firstOf(5)).toEqual(firstOf(5));
	expect(firstOf(6)).not.toEqual(firstOf(5));
});

test.each([1, 2, 3])('each item is planned once, with all sorts of trouble: seed %i', (seed) => {
	const { executions, locks, refusals } = planOf(seed, 300, A_MINUTE);
	const items = executions.flatMap((one) => one.items);
	expect(new Set(items.map(({ topic }) => topic)).size).toBe(300);
	expect(items.filter((one) => charactersOf(one) === 2_000_000).length).toBeGreaterThan(5);
	expect(new Set(items.map(({ calls }) => calls.length))).toEqual(new Set([0, 1, 2]));
	expect(new Set(executions.map(({ noticeBy }) => noticeBy))).toEqual(new Set(['auto', 'polling']));
	expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([429, 502]));
	for (const [index, { from, to }] of locks.entries()) {
		expect(to).toBeGreaterThan(from);
		expect(from).toBeGreaterThan(locks[index - 1]?.to ?? -1);
	}
});
