import type { StreamEvent } from '../../../crew-server/src/domain/execution';

/** What was seen of one execution from outside. */
export interface Seen {
	kickoffId: string;
	/** The status that it has come to. */
	status: string;
	/** What each reader has read, of the stream of one server or of several, one after the other. */
	readers: StreamEvent[][];
	/** Identifiers of callbacks, each as it first came. */
	callbacks: string[];
	/** How many events there were when a stop was answered. */
	eventsAtStop?: number;
}

const TASKS = ['one', 'two', 'three'];

/** What is wrong with what was seen; nothing is, if all that is promised was kept. */
export function faultsOf(seen: Seen): string[] {
	const { kickoffId, status, readers, callbacks, eventsAtStop } = seen;
	const [events = []] = readers;
	const isStopped = eventsAtStop !== undefined;
	const faults = [
		...(status === (isStopped ? 'stopped' : 'completed') ? [] : [`it has come to ${status}`]),
		...readers.flatMap((one, index) => faultsOfNumbers(one, index)),
		...readers.flatMap((one, index) =>
			JSON.stringify(one) === JSON.stringify(events) ? [] : [`reader ${index} read something else`],
		),
		...faultsOfTasks(events, isStopped),
		...faultsOfCallbacks(callbacks, isStopped),
		...(isStopped && events.length > eventsAtStop ? ['something happened after its stop'] : []),
	];
	return faults.map((fault) => `${kickoffId}: ${fault}`);
}

function faultsOfNumbers(events: readonly StreamEvent[], reader: number): string[] {
	const numbers = events.map(({ data }) => data['emission_sequence']);
	const isGapless = numbers.every((number, index) => number === index + 1);
	return isGapless ? [] : [`reader ${reader} read the numbers ${numbers.join()}`];
}

function faultsOfTasks(events: readonly StreamEvent[], isStopped: boolean): string[] {
	const faults: string[] = [];
	for (const task of TASKS) {
		const ofTask = events.filter(({ data }) => data['task_id'] === task).map(({ type }) => type);
		const done = ofTask.filter((type) => type === 'task_completed').length;
		if (done > 1 || (done === 0 && !isStopped)) faults.push(`${task} was journaled ${done} times`);
		if (done > 0 && ofTask.at(-1) !== 'task_completed') faults.push(`${task} was begun once done`);
	}
	return faults;
}

/** Their identifiers count them. */
function faultsOfCallbacks(callbacks: readonly string[], isStopped: boolean): string[] {
	const numbers = callbacks.map((id) => Number(id.slice(id.lastIndexOf('-') + 1)));
	const isInOrder = numbers.every((number, index) => number === index + 1);
	const isWhole = isStopped || callbacks.length === TASKS.length + 1;
	return isInOrder && isWhole ? [] : [`it has called back as ${callbacks.join()}`];
}
