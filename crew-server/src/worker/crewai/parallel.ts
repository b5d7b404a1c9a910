import { availableParallelism } from 'node:os';

/** Executions mostly wait for their model, so one core can run several. */
const EXECUTIONS_PER_CORE = 8;

/** Estimated bytes for one execution: half is its own Python, the rest is for its tools. */
const MEMORY_PER_EXECUTION = 100 * 1024 ** 2;

/**
 * How many executions a machine can run at once.
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
