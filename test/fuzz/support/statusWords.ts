/** Every status that the node can report for an execution. */
export const STATUS_WORDS: readonly string[] = [
	...['started', 'running', 'pending_human_input', 'completed', 'failed', 'stopped', 'not_found'],
	'unknown',
];
