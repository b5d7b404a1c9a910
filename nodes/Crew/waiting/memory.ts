import type { Execution } from '../model/execution';

/** What a callback told of an execution. */
export interface Told {
	execution: Execution;
	/** Whether a status that says otherwise counts more. */
	isHint: boolean;
}

/** What this process knows of a wait between two calls. It may all be lost at any time. */
export interface Memory {
	/** By item: these crews need not be asked until all have ended. */
	told: Map<number, Told>;
	/** How long `told` is as JSON. */
	size: number;
	/**
	 * Until when another call must not end the wait again, in milliseconds since the epoch. Once n8n
	 * has gone on it refuses calls itself; where it could not, a later one may try again.
	 */
	endingUntil: number;
	/** Calls are looked into one after the other, so that none asks what the one before has found. */
	turn: Promise<void>;
}

const MOST_WAITS = 1_000;
/** Characters, for all waits together. */
const MOST_TOLD = 16 * 1024 * 1024;

const memories = new Map<string, Memory>();
const nothing = () => undefined;
const sizeOf = (execution: Execution) => JSON.stringify(execution).length;

/** The memory of one wait; the wait that was not touched for longest is forgotten when there are many. */
export function recall(waitId: string): Memory {
	const none = { told: new Map(), size: 0, endingUntil: 0, turn: Promise.resolve() };
	const memory: Memory = memories.get(waitId) ?? none;
	memories.delete(waitId);
	memories.set(waitId, memory);
	const [oldest] = memories.keys();
	if (memories.size > MOST_WAITS && oldest !== undefined) memories.delete(oldest);
	return memory;
}

/** Runs `work` when all that came before it for the same wait is done, and keeps nothing of it. */
export async function takeTurn<T>(memory: Memory, work: () => Promise<T>): Promise<T> {
	const turn = memory.turn.then(work);
	memory.turn = turn.then(nothing, nothing);
	return await turn;
}

/**
 * Keeps what a callback told. An end stays as it was told first, whatever comes late or twice: only a
 * question is followed by something else.
 */
export function remember(memory: Memory, itemIndex: number, { execution, isHint }: Told): void {
	const known = memory.told.get(itemIndex);
	const isSame = known?.execution.status === execution.status;
	const isAsking = known?.execution.status === 'pending_human_input';
	const givesWay = !known || (!isHint && (known.isHint || isAsking));
	if (!isSame && !givesWay) return;
	// Several callbacks may tell of the same, some of them less than others.
	const all = isSame ? { ...known.execution, ...execution } : execution;
	const before = memory.size - (known ? sizeOf(known.execution) : 0);
	const sizes = [...memories.values()].map((one) => (one === memory ? before : one.size));
	const isTooMuch = sizes.reduce((sum, next) => sum + next, sizeOf(all)) > MOST_TOLD;
	const kept = isTooMuch ? { status: all.status } : all;
	memory.told.set(itemIndex, { execution: kept, isHint: isHint && (known?.isHint ?? true) });
	memory.size = before + sizeOf(kept);
}

/** Keeps of a wait that is over no more than until when it must not be ended again. */
export function forget(waitId: string, endingUntil = 0): void {
	const memory = memories.get(waitId);
	if (!memory) return;
	memory.told.clear();
	memory.size = 0;
	memory.endingUntil = Math.max(memory.endingUntil, endingUntil);
	if (memory.endingUntil < Date.now()) memories.delete(waitId);
}
