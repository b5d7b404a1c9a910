/** The status of an execution, in our words. */
export type ExecutionStatus =
	| 'started'
	| 'running'
	| 'pending_human_input'
	| 'completed'
	| 'failed'
	| 'stopped'
	| 'not_found'
	| 'timed_out'
	| 'unknown';

/** The words of both dialects for each status, folded by {@link foldWord}. */
const WORDS: Partial<Record<ExecutionStatus, string>> = {
	started: 'accepted created pending queued received scheduled starting submitted',
	// In a task queue, `started` means that a worker has it.
	running: 'in_progress processing progress resumed retry retrying running started',
	completed: 'complete completed done finished succeeded success',
	failed: 'error errored failed failure timed_out timeout',
	stopped: 'aborted canceled cancelled revoked stopped terminated',
	not_found: 'not_found',
	// The platform's word while a person is asked.
	pending_human_input: 'paused',
};

const STATUS_OF_WORD = new Map(
	Object.entries(WORDS).flatMap(([status, words]) =>
		words.split(' ').map((word) => [word, status as ExecutionStatus]),
	),
);

const WAITS_FOR_A_PERSON = [
	/^(pending|await(ing)?|wait(ing)?(_(for|on))?|paused(_for)?|needs|requires?)_(a_)?(human|user|person|feedback|approval|review|input)/,
	/^((human|user)_)?(input|feedback|approval|review)_(needed|pending|requested|required)$/,
];

/** `Pending Human Input`, `pending-human-input`, `pendingHumanInput` -> `pending_human_input`. */
function foldWord(word: string): string {
	return word
		.replace(/([a-z])([A-Z])/g, '$1_$2')
		.toLowerCase()
		.replace(/[^a-z]+/g, '_')
		.replace(/^_|_$/g, '');
}

/** Our status for a word of either dialect, or `undefined` for an unknown word. */
export function statusOfWord(word: unknown): ExecutionStatus | undefined {
	// An error's text may be in the same field, so a long text is not a word.
	if (typeof word !== 'string' || word.length > 60) return undefined;
	const folded = foldWord(word);
	const known = STATUS_OF_WORD.get(folded);
	if (known) return known;
	return WAITS_FOR_A_PERSON.some((words) => words.test(folded)) ? 'pending_human_input' : undefined;
}

/** An end takes precedence over everything, then a question to a person; a start comes last. */
const RANKS: ReadonlyArray<readonly ExecutionStatus[]> = [
	['completed', 'failed', 'stopped'],
	// Some deployments also say that they do not know an execution that asks.
	['pending_human_input'],
	['not_found'],
	['running'],
	['started'],
];

/** Our status for several words about one execution: the one with the highest rank, the first of equals. */
export function statusOfWords(...words: unknown[]): ExecutionStatus {
	const said = words.map(statusOfWord);
	const found = RANKS.map((rank) => said.find((status) => status && rank.includes(status)));
	return found.find((status) => status !== undefined) ?? 'unknown';
}

/** Whether nothing more will happen by itself: the execution has ended, or asks a person. */
export function isSettled(status: ExecutionStatus): boolean {
	return !['started', 'running', 'unknown'].includes(status);
}
