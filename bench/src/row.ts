import type { PackedPackage } from '../../sandbox/src/packed-package';
import type { Teardown } from '../../sandbox/src/teardown';
import type { Stage } from './stage';

/** One line of the report: one comparison of our node with something else. */
export interface Row {
	/** Its name on the command line. */
	name: string;
	/** What one figure measures. */
	what: (size: number) => string;
	/** The unit of a figure: `ms`, `kB`, `/s` and so on. */
	unit: string;
	/**
	 * Warm: both sides share one n8n, which has done the same once before the first figure. Cold: each figure is the
	 * first of a process that has just been started.
	 */
	start: 'warm' | 'cold';
	ours: Side;
	/** The other side: ours in another way, something else, or a {@link limit}. */
	beside: Side;
	/** The target for ours divided by beside; absent if the row only informs. */
	target?: Target;
	/** How many items, callbacks or executions one figure is about. */
	size: number;
	/** How many pairs count (default: 5; 3 if they agree or take long; 1 for a count). */
	repetitions?: number;
	/** Ours is a count, which other work on the machine does not change. It needs no warming up. */
	isCount?: boolean;
	/** How the row is smaller in a quick run. Without this, a quick run leaves it out. */
	quick?: { size?: number; repetitions?: number };
	/** Only if cold: each side's n8n starts right before its figure, since an n8n that waits for the other gives memory back. */
	startsApart?: boolean;
	/** Environment variables of n8n. */
	n8n?: Record<string, string>;
	/** Milliseconds after which the crew answers a request (default: 20). */
	latency?: number;
	/** What this machine lacks for the row, which is then left out; `undefined` if it lacks nothing. */
	lacks?: () => Promise<string | undefined>;
	/** Faults of the crew, in the crew server's form. */
	faults?: string[];
}

/** The largest or the smallest ratio that is good enough. */
export type Target = { most: number } | { least: number };

export type SideName = 'ours' | 'beside';

/** One of the two sides that a row compares. */
export interface Side {
	name: string;
	/** Does what should not be measured, such as storing a workflow. */
	prepare: (place: Place) => Promise<Measure>;
}

/** Does the work once and returns its figure. Rejects if the work was not done properly. */
export type Measure = () => Promise<number>;

/** What a side can use when it is prepared. */
export interface Place {
	/** The size of the row, or of its quick variant. */
	size: number;
	packed: PackedPackage;
	/** Run at the end of the row. */
	teardown: Teardown;
	/** An n8n and a crew, started on demand. The crew belongs to the row alone. */
	stage: () => Promise<Stage>;
}

/** A fixed figure instead of a side. */
export function limit(most: (size: number) => number, name = 'the limit'): Side {
	return { name, prepare: ({ size }) => Promise.resolve(() => Promise.resolve(most(size))) };
}

/** The row in a quick run; `undefined` if that leaves it out. */
export function quickVariant(row: Row): Row | undefined {
	return row.quick && { ...row, ...row.quick };
}
