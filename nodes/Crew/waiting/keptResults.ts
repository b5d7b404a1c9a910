import type { Watched } from './watched';

/** In characters, for all waits of this process together. */
const MOST_KEPT = 16 * 1024 * 1024;

/** The error if the output is not read again. */
const OUTPUT_LOST = 'The crew has ended, but its output can no longer be read';

let kept = 0;

function setSize(one: Watched, size: number): void {
	kept += size - (one.size ?? 0);
	one.size = size;
}

/** Releases what is kept of these executions. */
export function letGo(all: readonly Watched[]): void {
	for (const one of all) setSize(one, 0);
}

/**
 * Keeps the result of an execution, or what a callback said about it, if there is room. If not, only
 * the status is kept, and the result is read again when it is this wait's turn.
 */
export function keepWithinBounds(one: Watched, isSimple: boolean): void {
	if (isSimple) one.response = undefined;
	// By now, what the callback said is part of it, or was not true.
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

/** Runs `work` after that of earlier waits, or at `deadline`: only one wait at a time exceeds the limit. */
export async function takeTurn(work: () => Promise<void>, deadline: Promise<void>): Promise<void> {
	const before = turn;
	const own = Promise.race([before, deadline]).then(work);
	turn = Promise.allSettled([before, own]);
	await own;
}
