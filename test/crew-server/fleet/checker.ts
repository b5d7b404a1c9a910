import type { Entry } from './history';

/** The promises for a round of the fleet. */
export interface Promised {
	/** The crew’s tasks. */
	tasks: readonly string[];
	/** How many callbacks a completed execution sends. */
	callbacks: number;
	parallel: number;
	fleetParallel: number;
	/** Milliseconds after the answer to a stop within which the other servers are notified, or the lease ends. */
	stopTakes: number;
	/** Whether all servers shut down cleanly, so that no task starts twice. */
	isOrderly: boolean;
}

/** The rules that the checker applies, by name. */
export const RULES = {
	ends: 'every kickoff is eventually answered, and every execution ends',
	once: 'a repeated kickoff starts no second execution, and nothing starts by itself',
	stored:
		'each task is stored once; after that, it does not start again, and no model is asked about it',
	events: 'event numbers have no gaps, and every server sends the same list',
	callbacks: 'each callback arrives, in order for each execution and receiver',
	limits: 'neither --parallel nor --fleet-parallel is exceeded',
	stop: 'after the answer to a stop, nothing more is stored, and the work ends',
	answers: 'a person’s answer is accepted, even if it is repeated',
	handover: 'no task starts twice if all servers shut down cleanly',
} as const;

export type Rule = keyof typeof RULES;

export interface Fault {
	rule: Rule;
	text: string;
}

type What<Name extends Entry['what']> = Extract<Entry, { what: Name }>;

/** All the faults in a history. */
export function faultsIn(history: readonly Entry[], promised: Promised): Fault[] {
	const kickoffs = all(history, 'kickoff');
	const ids = new Set(kickoffs.map(({ id }) => id));
	const keys = new Map(kickoffs.map(({ id, key }) => [id, key]));
	const executions = [...ids].map((id) => ({
		...{ id, promised },
		entries: history.filter((entry) =>
			entry.what === 'asked' ? entry.key === keys.get(id) : 'id' in entry && entry.id === id,
		),
	}));
	const judges = { ends, stored, events, callbacks, stop, answers, handover };
	return [
		...all(history, 'unanswered').map(({ key }): Fault => ({
			rule: 'ends',
			text: `the kickoff ${key} was not answered`,
		})),
		...once(history, ids),
		...limits(history, promised),
		...Object.entries(judges).flatMap(([rule, judge]) =>
			executions.flatMap((one) =>
				judge(one).map((text) => ({ rule: rule as Rule, text: `${one.id}: ${text}` })),
			),
		),
	];
}

/** One execution. */
interface One {
	id: string;
	entries: readonly Entry[];
	promised: Promised;
}

function all<Name extends Entry['what']>(entries: readonly Entry[], ...names: Name[]) {
	return entries.filter((entry): entry is What<Name> => names.some((name) => entry.what === name));
}

const isStopped = ({ entries }: One) => all(entries, 'stopped').length > 0;

function once(history: readonly Entry[], ids: ReadonlySet<string>): Fault[] {
	const firsts = new Map<string, string>();
	const faults: string[] = [];
	for (const { key, id } of all(history, 'kickoff')) {
		const first = firsts.get(key) ?? id;
		firsts.set(key, first);
		if (first !== id) faults.push(`the kickoff ${key} has started ${first} and ${id}`);
	}
	for (const id of all(history, 'kept').flatMap((entry) => entry.ids)) {
		if (!ids.has(id)) faults.push(`${id} was started without an answer`);
	}
	return faults.map((text) => ({ rule: 'once', text }));
}

function limits(history: readonly Entry[], promised: Promised): Fault[] {
	const { parallel, fleetParallel } = promised;
	return all(history, 'running')
		.filter((entry) => entry.all > fleetParallel || entry.most > parallel)
		.map((entry) => ({
			rule: 'limits',
			text: `${entry.all} ran at once, ${entry.most} at one server`,
		}));
}

function ends(one: One): string[] {
	const statuses = all(one.entries, 'ended').map(({ status }) => status);
	const wanted = isStopped(one) ? 'stopped' : 'completed';
	if (statuses.length === 0) return ['it has not ended'];
	return statuses.filter((status) => status !== wanted).map((status) => `it is ${status}`);
}

function stored({ entries, promised }: One): string[] {
	return promised.tasks.flatMap((task) => {
		const ofTask = all(entries, 'begun', 'stored', 'asked').filter((one) => one.task === task);
		const [first, ...more] = all(ofTask, 'stored');
		if (!first) return [];
		const late = ofTask.filter(({ what, at }) => what !== 'stored' && at > first.at);
		return [
			...more.map(({ worker }) => `${task} is stored again, by ${worker}`),
			...late.map(({ what, at }) => `${task} is ${what} ${Math.round(at - first.at)} ms late`),
		];
	});
}

function events(one: One): string[] {
	const readers = all(one.entries, 'read');
	const [first] = readers;
	if (!first) return ['its events were not read'];
	return readers.flatMap(({ reader, events: read }) => [
		...(read.every((event, index) => event.startsWith(`${index + 1} `))
			? []
			: [`${reader} has read the numbers ${read.map((event) => event.split(' ')[0]).join()}`]),
		...(read.join('\n') === first.events.join('\n')
			? []
			: [`${reader} has read something other than ${first.reader}`]),
		...faultsOfTasks(read, one).map((fault) => `${reader} has read that ${fault}`),
	]);
}

function faultsOfTasks(read: readonly string[], one: One): string[] {
	return one.promised.tasks.flatMap((task) => {
		const ofTask = read.map((event) => event.split(' ')).filter((event) => event[2] === task);
		const types = ofTask.map(([, type]) => type);
		const done = types.filter((type) => type === 'task_completed').length;
		const isBegunLate = done > 0 && types.at(-1) !== 'task_completed';
		return [
			...(done > 1 || (done === 0 && !isStopped(one)) ? [`${task} is done ${done} times`] : []),
			...(isBegunLate ? [`${task} continues once it is done`] : []),
		];
	});
}

/** The identifiers of callbacks end with their numbers in the execution. */
function callbacks(one: One): string[] {
	const first = new Map<string, What<'callback'>>();
	for (const entry of all(one.entries, 'callback')) {
		if (!first.has(entry.callback)) first.set(entry.callback, entry);
	}
	const arrived = [...first.values()].map(({ callback, receiver }) => ({
		number: Number(callback.slice(callback.lastIndexOf('-') + 1)),
		receiver,
	}));
	const last = new Map<string, number>();
	const faults: string[] = [];
	for (const { number, receiver } of arrived) {
		const before = last.get(receiver) ?? 0;
		if (number < before) faults.push(`callback ${number} arrived after ${before}`);
		last.set(receiver, number);
	}
	const numbers = arrived.map(({ number }) => number).sort((a, b) => a - b);
	const isWhole =
		(isStopped(one) || numbers.length === one.promised.callbacks) &&
		numbers.every((number, index) => number === index + 1);
	return isWhole ? faults : [...faults, `of its callbacks, ${numbers.join()} have arrived`];
}

function stop({ entries, promised }: One): string[] {
	const [stopped] = all(entries, 'stopped');
	if (!stopped) return [];
	const { at } = stopped;
	const readers = all(entries, 'read');
	// A worker may hear only after the stop that what it has written before is stored. The events have the order.
	const isInTime = (task: string) =>
		readers.some(({ events: read }) =>
			read.some((event) => event.includes(` task_completed ${task} `)),
		);
	const late = all(entries, 'begun', 'stored', 'asked').filter((entry) =>
		entry.what === 'stored'
			? entry.at > at && !isInTime(entry.task)
			: entry.at > at + promised.stopTakes,
	);
	const lasts = readers.map(({ events: read }) => read.at(-1)?.split(' ')[1] ?? '');
	return [
		...late.map(({ what, task }) => `${task} is ${what} after the stop`),
		...lasts
			.filter((type) => type !== 'crew_kickoff_stopped')
			.map((type) => `its last event is ${type}`),
	];
}

function answers({ entries }: One): string[] {
	const refused = all(entries, 'resumed').filter(({ status }) => status !== 200);
	return refused.map(({ status }) => `an answer to its question was refused with ${status}`);
}

function handover({ entries, promised }: One): string[] {
	const [first] = all(entries, 'read');
	if (!promised.isOrderly || !first) return [];
	return promised.tasks.flatMap((task) => {
		const begun = first.events.filter((event) => event.includes(` task_started ${task} `)).length;
		return begun > 1 ? [`${task} is begun ${begun} times`] : [];
	});
}
