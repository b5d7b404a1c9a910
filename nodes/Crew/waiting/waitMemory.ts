import type { Execution } from '../model/execution';

/** What this process knows of a parked wait between two callbacks. It may all be lost at any time. */
export interface WaitMemory {
	/** What callbacks told, by item: these crews need not be asked until all have ended. */
	news: Map<number, Execution>;
	/** Set when the wait is being ended: a second callback must not end it again. */
	isEnding: boolean;
}

const LARGEST_MEMORY = 1_000;
const memories = new Map<string, WaitMemory>();

/** The memory of one wait; the wait that was not touched for longest is forgotten when there are many. */
export function recall(waitId: string): WaitMemory {
	const memory = memories.get(waitId) ?? { news: new Map<number, Execution>(), isEnding: false };
	memories.delete(waitId);
	memories.set(waitId, memory);
	const [oldest] = memories.keys();
	if (memories.size > LARGEST_MEMORY && oldest !== undefined) memories.delete(oldest);
	return memory;
}
