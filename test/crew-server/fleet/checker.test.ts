import { faultsIn, RULES, type Promised, type Rule } from './checker';
import type { Effect, Entry } from './history';

const PROMISED: Promised = {
	tasks: ['one', 'two'],
	callbacks: 3,
	parallel: 2,
	fleetParallel: 4,
	stopTakes: 50,
	isOrderly: true,
};

const EVENTS = [
	'1 crew_kickoff_started - a',
	'2 task_started one b',
	'3 task_completed one c',
	'4 task_started two d',
	'5 task_completed two e',
	'6 crew_kickoff_completed - f',
];

const id = 'x';
const of = (task: string) => ({ id, task, worker: 'w' });
const callback = (number: number, receiver: string): Effect => ({
	...{ what: 'callback', id, receiver },
	callback: `x-task-${number}`,
});
const read = (reader: string, events = EVENTS): Effect => ({ what: 'read', id, reader, events });

const GOOD: Effect[] = [
	{ what: 'kickoff', id, key: 'k' },
	{ what: 'kickoff', id, key: 'k' },
	{ what: 'running', all: 4, most: 2 },
	...['one', 'two'].flatMap((task): Effect[] => [
		{ what: 'begun', ...of(task) },
		{ what: 'asked', key: 'k', task },
		{ what: 'finished', ...of(task) },
		{ what: 'stored', ...of(task) },
	]),
	{ what: 'resumed', id, status: 200 },
	callback(1, 'tasks'),
	callback(3, 'end'),
	callback(2, 'tasks'),
	callback(1, 'tasks'),
	{ what: 'ended', id, status: 'completed' },
	read('live'),
	read('server'),
	{ what: 'kept', ids: [id] },
];

const STOPPED: Effect[] = [
	{ what: 'kickoff', id, key: 'k' },
	{ what: 'begun', ...of('one') },
	{ what: 'stopped', id },
	{ what: 'begun', ...of('two') },
	{ what: 'ended', id, status: 'stopped' },
	read('live', ['1 crew_kickoff_started - a', '2 crew_kickoff_stopped - b']),
];

/** Ten milliseconds apart. */
const timed = (effects: readonly Effect[]): Entry[] =>
	effects.map((effect, index) => ({ at: index * 10, ...effect }));
const rulesBroken = (effects: readonly Effect[]) => [
	...new Set(faultsIn(timed(effects), PROMISED).map(({ rule }) => rule)),
];
const without = (what: Effect['what']) => GOOD.filter((effect) => effect.what !== what);
const instead = (what: Effect['what'], ...others: Effect[]) => [...without(what), ...others];

it('finds nothing in a correct history', () => {
	expect(faultsIn(timed(GOOD), PROMISED)).toEqual([]);
	expect(faultsIn(timed(STOPPED), PROMISED)).toEqual([]);
});

const FORGED: Array<[rule: Rule, name: string, effects: Effect[]]> = [
	['ends', 'has no end', without('ended')],
	['ends', 'is unanswered', [...GOOD, { what: 'unanswered', key: 'l' }]],
	['ends', 'has failed', instead('ended', { what: 'ended', id, status: 'failed' })],
	['once', 'was started twice', [...GOOD, { what: 'kept', ids: [id, 'y'] }]],
	['stored', 'has stored a task twice', [...GOOD, { what: 'stored', ...of('one') }]],
	['stored', 'begins a task late', [...GOOD, { what: 'begun', ...of('one') }]],
	['stored', 'asks a model late', [...GOOD, { what: 'asked', key: 'k', task: 'one' }]],
	['events', 'was read by nobody', without('read')],
	['events', 'lacks an event', [...GOOD, read('other', EVENTS.toSpliced(2, 1))]],
	['events', 'has an event twice', [...GOOD, read('other', [...EVENTS, EVENTS.at(-1)!])]],
	['events', 'ends early at a server', [...GOOD, read('other', EVENTS.slice(0, -1))]],
	['events', 'differs at a server', [...GOOD, read('other', EVENTS.with(5, '6 failed - z'))]],
	[
		'events',
		'has a task that is done twice',
		instead('read', read('live', EVENTS.with(3, '4 task_completed one z'))),
	],
	[
		'events',
		'has a task that continues once it is done',
		instead('read', read('live', [...EVENTS, '7 task_started one z'])),
	],
	['callbacks', 'lacks a callback', instead('callback', callback(1, 'tasks'), callback(3, 'end'))],
	[
		'callbacks',
		'calls back out of order',
		instead('callback', callback(2, 'tasks'), callback(1, 'tasks'), callback(3, 'end')),
	],
	['limits', 'exceeds the limit of all', [...GOOD, { what: 'running', all: 5, most: 2 }]],
	['limits', 'exceeds the limit of one', [...GOOD, { what: 'running', all: 4, most: 3 }]],
	['stop', 'stores after a stop', [...STOPPED, { what: 'stored', ...of('one') }]],
	[
		'stop',
		'asks long after a stop',
		[
			...STOPPED,
			...STOPPED.slice(-1),
			...STOPPED.slice(-1),
			{ what: 'asked', key: 'k', task: 'two' },
		],
	],
	['stop', 'has events after a stop', [...STOPPED, read('b', [...EVENTS])]],
	['answers', 'refuses an answer', [...GOOD, { what: 'resumed', id, status: 400 }]],
];

it.each(FORGED)('reports the rule “%s” as broken if an execution %s', (rule, _name, effects) => {
	expect(rulesBroken(effects)).toContain(rule);
});

it('accepts that a worker hears late of what it has stored before a stop', () => {
	const events = EVENTS.with(3, '4 crew_kickoff_stopped - d').slice(0, 4);
	const effects = [...STOPPED.slice(0, -1), { what: 'stored', ...of('one') } as const];
	expect(rulesBroken([...effects, read('live', events)])).toEqual([]);
});

it('finds a key that has started two executions', () => {
	const faults = faultsIn(timed([...GOOD, { what: 'kickoff', id: 'y', key: 'k' }]), PROMISED);
	expect(faults).toContainEqual({ rule: 'once', text: 'the kickoff k has started x and y' });
});

it('finds a task that starts again at a handover, even if it was not done', () => {
	const again = EVENTS.toSpliced(2, 0, '3 task_started one z');
	const numbered = again.map((event, index) => event.replace(/^\d+/, String(index + 1)));
	const effects = instead('read', read('live', numbered));
	expect(rulesBroken(effects)).toEqual(['handover']);
	expect(faultsIn(timed(effects), { ...PROMISED, isOrderly: false })).toEqual([]);
});

it('has a forged history for each rule', () => {
	const shown = new Set<string>([...FORGED.map(([rule]) => rule), 'handover']);
	expect([...shown].sort()).toEqual(Object.keys(RULES).sort());
});
