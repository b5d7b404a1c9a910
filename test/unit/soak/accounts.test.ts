import type { Seen } from '../../soak/crews';
import { kinds, type Kind } from '../../soak/kinds';
import { Accounts } from '../../soak/accounts';

const all = kinds('https://n8n.example.com/webhook/1/webhook');
const kind = (name: string): Kind => all.find((one) => one.name === name)!;

/** The problems of one operation with these reports, whose crews ended in these states. */
function problemsOf(name: string, items: object[], states: Array<Seen['state']>): string[] {
	const accounts = new Accounts();
	const operation = accounts.begin(kind(name));
	for (const item of items) accounts.take({ operation: operation.name, item });
	const seen = states.map((state, index) => ({
		kickoffId: `k${index}`,
		state,
		topic: operation.name,
	}));
	return accounts.problems(seen);
}

describe('the account of a soak', () => {
	test.each<[string, object, Array<Seen['state']>]>([
		['wait by callback', { status: 'completed' }, ['completed']],
		['a crew that fails', { status: 'failed' }, ['failed']],
		['time limit, callback', { status: 'timed_out' }, ['stopped']],
		['faults, polling', { error: 'The crew may have been started all the same' }, []],
		['faults, polling', { error: 'The crew may have been started all the same' }, ['completed']],
	])('%s: finds nothing if it came to its end', (name, item, states) => {
		expect(problemsOf(name, [item], states)).toEqual([]);
	});

	test.each<[string, object[], Array<Seen['state']>]>([
		['has no end', [], ['completed']],
		['has ended 2 times', [{ status: 'completed' }, { status: 'completed' }], ['completed']],
		['has ended as', [{ status: 'timed_out' }], ['completed']],
		['has ended as', [{ error: 'No' }], ['completed']],
		['has ended as', [{}], ['completed']],
		['has started 2 crews', [{ status: 'completed' }], ['completed', 'completed']],
		['has started 0 crews', [{ status: 'completed' }], []],
		['has left its crew k0 running', [{ status: 'completed' }], ['running']],
	])('reports an operation that %s', (problem, items, states) => {
		expect(problemsOf('wait by callback', items, states)).toEqual([
			expect.stringContaining(problem),
		]);
	});

	test('reports crews and ends that belong to no operation', () => {
		const accounts = new Accounts();
		accounts.take({ operation: 'operation 7', item: { status: 'completed' } });

		expect(
			accounts.problems([{ kickoffId: 'k', state: 'completed', topic: 'operation 8' }]),
		).toEqual([expect.stringContaining('operation 8'), expect.stringContaining('operation 7')]);
	});

	test('counts every operation once, by its end', () => {
		const accounts = new Accounts();
		const [ended] = [accounts.begin(kind('stop')), accounts.begin(kind('stop'))];
		accounts.take({ operation: ended.name, item: { status: 'stopped' } });

		expect(accounts.byKind()).toEqual([
			{
				kind: 'stop',
				started: 2,
				ends: { completed: 0, failed: 0, stopped: 1, 'timed out': 0, refused: 0 },
				unknown: 1,
			},
		]);
	});
});
