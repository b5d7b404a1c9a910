import type { Execution } from '../model/execution';
import type { Watched } from './watched';

/** Characters, for all waits of this process together. */
const MOST_KEPT = 16 * 1024 * 1024;

let kept = 0;

/** Lets go of what is kept of these. */
export function letGo(all: readonly Watched[]): void {
	for (const one of all) {
		kept -= one.size ?? 0;
		one.size = one.kept = undefined;
	}
}

/**
 * Keeps of what has settled, and of what callbacks told, as much as there is room for. Of what is too
 * much the status stays: it is asked for again when the turn of its wait comes.
 */
export function keepWithinBounds(all: readonly Watched[], isSimple: boolean): void {
	for (const one of all) {
		if (isSimple) one.response = undefined;
		// What was told is part of it then, or not true.
		if (one.execution) one.told = undefined;
		const { execution = one.told?.execution, response } = one;
		if (!execution || one.kept === execution) continue;
		letGo([one]);
		const size = JSON.stringify([execution, response]).length;
		if (kept + size <= MOST_KEPT) keep(one, execution, size);
		else cutDown(one, execution);
	}
}

function keep(one: Watched, execution: Execution, size: number): void {
	Object.assign(one, { kept: execution, size });
	kept += size;
}

function cutDown(one: Watched, { status }: Execution): void {
	if (one.told) one.told = { ...one.told, execution: { status }, isCut: true };
	else one.cut = status;
	one.execution = one.response = undefined;
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` when that of other waits before it is done, or `deadline` comes: what several waits have
 * gathered beyond the bounds is not held at the same time.
 */
export async function takeTurn(work: () => Promise<void>, deadline: Promise<void>): Promise<void> {
	const before = turn;
	const own = Promise.race([before, deadline]).then(work);
	turn = Promise.allSettled([before, own]);
	await own;
}
