import { problemsOf, type Report } from '../../stress/accounts';
import type { PlannedItem } from '../../stress/plan';
import { tasksOf, type ScriptedExecution } from '../../support/scriptedCrew';

const ITEMS: PlannedItem[] = [
	{ topic: 'bees', outcome: { output: 'All about bees' }, duration: 0, calls: [] },
	{ topic: 'stars', outcome: { error: 'No stars today' }, duration: 0, calls: [] },
];
const started = (topic: string, kickoffId = topic): ScriptedExecution => ({
	...{ topic, kickoffId },
	...{ hasEnded: true, body: {} },
});
const STARTED = [started('bees'), started('stars')];
const bees: Report = {
	execution: '1',
	item: {
		kickoff_id: 'bees',
		status: 'completed',
		output: 'All about bees',
		tasks: tasksOf('All about bees'),
	},
};
const stars: Report = {
	execution: '2',
	item: { kickoff_id: 'stars', status: 'failed', error: 'No stars today' },
};
const withItem = (changes: object): Report => ({ ...bees, item: { ...bees.item, ...changes } });

test('reports nothing if each item came out once, as its crew ended', () => {
	expect(problemsOf(ITEMS, STARTED, [stars, bees])).toEqual([]);
});

test.each<[string, Report[], ScriptedExecution[], RegExp]>([
	['is missing', [stars], STARTED, /^bees: came out 0 times$/],
	['came out twice', [bees, stars, bees], STARTED, /^bees: came out 2 times$/],
	['timed out', [stars, withItem({ status: 'timed_out' })], STARTED, /^bees .*another status/],
	['has no output', [stars, withItem({ output: undefined })], STARTED, /^bees .*no output/],
	['has another output', [stars, withItem({ output: 'x' })], STARTED, /^bees .*another output/],
	['has no tasks', [stars, withItem({ tasks: undefined })], STARTED, /^bees .*no tasks/],
	['has no ID', [bees, stars, { execution: '3', item: {} }], STARTED, /^Execution 3 gave \{\}$/],
	['was started twice', [bees, stars], [...STARTED, started('bees', 'other')], /^bees: 2 crews/],
])('reports an item if it %s', (_what, reports, crews, told) => {
	expect(problemsOf(ITEMS, crews, reports)).toEqual([expect.stringMatching(told)]);
});
