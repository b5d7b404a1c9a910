import { availableParallelism } from 'node:os';

/** Executions mostly wait for their model: a core bears several. */
const EXECUTIONS_PER_CORE = 8;

/** Bytes that one execution is reckoned to take; half is its own Python, the rest what its tools need. */
const MEMORY_PER_EXECUTION = 100 * 1024 ** 2;

/**
 * How many executions a machine bears at once.
 *
 * @param memory bytes that are free
 */
export function defaultParallel(
	cores = availableParallelism(),
	memory = process.availableMemory(),
): number {
	return Math.max(
		1,
		Math.min(cores * EXECUTIONS_PER_CORE, Math.floor(memory / MEMORY_PER_EXECUTION)),
	);
}
