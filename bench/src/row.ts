import type { PackedPackage } from '../../sandbox/src/packed-package';
import type { Teardown } from '../../sandbox/src/teardown';
import type { Stage } from './stage';

/** One line of the report: our node beside something else, in one respect. */
export interface Row {
	/** On the command line. */
	name: string;
	/** What one figure is of. */
	what: (size: number) => string;
	/** Of one figure: `ms`, `kB`, `/s` and so on. */
	unit: string;
	/**
	 * Warm: both sides share one n8n, which has done the same once before the first figure. Cold: each figure is the
	 * first of a process that has just been started.
	 */
	start: 'warm' | 'cold';
	ours: Side;
	/** Ours again in another way, something else, or a {@link limit}. */
	beside: Side;
	/** For ours divided by beside; absent if the row is there to be known. */
	target?: Target;
	/** How many items, callbacks or executions one figure is about. */
	size: number;
	/** How many pairs count (default: 5, 3 if they agree or take long, or 1 of a count). */
	repetitions?: number;
	/** Ours is a count, which no other work on the machine changes. It needs no warming up. */
	isCount?: boolean;
	/** How the row is smaller in a quick run, which leaves it out if this is absent. */
	quick?: { size?: number; repetitions?: number };
	/** Cold only: each side's n8n starts right before its figure. One that waits for the other's gives memory back. */
	startsApart?: boolean;
	/** Environment variables of n8n. */
	n8n?: Record<string, string>;
	/** Milliseconds after which the crew answers a request (default: 20). */
	latency?: number;
	/** What this machine lacks for the row, which is left out then; `undefined` if it lacks nothing. */
	lacks?: () => Promise<string | undefined>;
	/** What else the crew does to requests, as the crew server reads it. */
	faults?: string[];
}

/** The largest or the smallest ratio that is good enough. */
export type Target = { most: number } | { least: number };

export type SideName = 'ours' | 'beside';

/** One of the two that a row compares. */
export interface Side {
	name: string;
	/** Does what is not to be measured, such as storing a workflow. */
	prepare: (place: Place) => Promise<Measure>;
}

/** Does the work once and gives its figure. Rejects if the work was not done as it should be. */
export type Measure = () => Promise<number>;

/** What a side finds when it is prepared. */
export interface Place {
	/** The row's, or that of its quick variant. */
	size: number;
	packed: PackedPackage;
	/** Run at the end of the row. */
	teardown: Teardown;
	/** An n8n and a crew, started when they are asked for. The crew is the row's own. */
	stage: () => Promise<Stage>;
}

/** A fixed figure in the place of a side. */
export function limit(most: (size: number) => number, name = 'the limit'): Side {
	return { name, prepare: ({ size }) => Promise.resolve(() => Promise.resolve(most(size))) };
}

/** The row as a quick run has it; `undefined` if that leaves it out. */
export function quickVariant(row: Row): Row | undefined {
	return row.quick && { ...row, ...row.quick };
}
