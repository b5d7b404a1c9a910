import type { Watched } from './watched';

/** Characters, for all waits of this process together. */
const MOST_KEPT = 16 * 1024 * 1024;

/** Unless it is asked for again. */
const OUTPUT_LOST = 'The crew has ended, but its output can no longer be read';

let kept = 0;

function setSize(one: Watched, size: number): void {
	kept += size - (one.size ?? 0);
	one.size = size;
}

/** Lets go of what is kept of these. */
export function letGo(all: readonly Watched[]): void {
	for (const one of all) setSize(one, 0);
}

/**
 * Keeps the result of an execution, or what a callback told of it, if there is room. If not, only the
 * status is kept, and the result is asked for again when it is this wait's turn.
 */
export function keepWithinBounds(one: Watched, isSimple: boolean): void {
	if (isSimple) one.response = undefined;
	// By then, what the callback told is part of it, or not true.
	if (one.execution) one.told = undefined;
	const { told, response, execution = told?.execution } = one;
	setSize(one, 0);
	if (!execution) return;
	const size = JSON.stringify([execution, response]).length;
	const rest = { status: execution.status, error: OUTPUT_LOST };
	if (kept + size <= MOST_KEPT) setSize(one, size);
	else if (told) told.execution = rest;
	else Object.assign(one, { execution: rest, response: undefined, isCut: true });
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` when the earlier waits have done theirs, or `deadline` comes, so that only one wait at a
 * time holds what is beyond the bounds.
 */
export async function takeTurn<T>(work: () => Promise<T>, deadline: Promise<void>): Promise<T> {
	const before = turn;
	const own = Promise.race([before, deadline]).then(work);
	turn = Promise.allSettled([before, own]);
	return await own;
}
