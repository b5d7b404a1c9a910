import type { Execution } from '../model/execution';

/** What this process knows of a parked wait between two callbacks. It may all be lost at any time. */
export interface WaitMemory {
	/** What callbacks told, by item: these crews need not be asked until all have ended. */
	news: Map<number, Execution>;
	/**
	 * Until when another callback must not end the wait again, in milliseconds since the epoch. Once n8n
	 * has gone on it refuses callbacks itself; where it could not, a later one may try again.
	 */
	endingUntil: number;
	/** When to look at the crews without a callback, in milliseconds since the epoch. */
	lookAt: number;
	/** Whether such a look is due or under way. */
	isLooking: boolean;
	/** Callbacks are looked into one after the other, so that none asks what the one before has found. */
	inTurn: Promise<unknown>;
}

const LARGEST_MEMORY = 1_000;
const memories = new Map<string, WaitMemory>();

/** Runs `work` when all that came before it for the same wait is done. */
export async function takeTurn<T>(memory: WaitMemory, work: () => Promise<T>): Promise<T> {
	const turn = memory.inTurn.then(work);
	memory.inTurn = turn.catch(() => undefined);
	return await turn;
}

/** The memory of one wait; the wait that was not touched for longest is forgotten when there are many. */
export function recall(waitId: string): WaitMemory {
	const memory = memories.get(waitId) ?? {
		news: new Map<number, Execution>(),
		endingUntil: 0,
		lookAt: 0,
		isLooking: false,
		inTurn: Promise.resolve(),
	};
	memories.delete(waitId);
	memories.set(waitId, memory);
	const [oldest] = memories.keys();
	if (memories.size > LARGEST_MEMORY && oldest !== undefined) memories.delete(oldest);
	return memory;
}
