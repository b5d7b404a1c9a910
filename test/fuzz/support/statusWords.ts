/** Every status that the node may tell of an execution which it has asked for. */
export const STATUS_WORDS: readonly string[] = [
	...['started', 'running', 'pending_human_input', 'completed', 'failed', 'stopped', 'not_found'],
	'unknown',
];
