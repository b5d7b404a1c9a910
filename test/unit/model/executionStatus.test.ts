import {
	isSettled,
	statusOfWord,
	type ExecutionStatus,
} from '../../../nodes/Crew/model/executionStatus';

const WORDS: Partial<Record<ExecutionStatus, string[]>> = {
	started: ['PENDING', 'QUEUED', 'queued', 'Received', 'scheduled'],
	running: [
		'running',
		'RUNNING',
		'STARTED',
		'RETRY',
		'in_progress',
		'In Progress',
		'inProgress',
		'resumed',
	],
	completed: ['completed', 'SUCCESS', 'Succeeded', 'finished', 'complete', ' done '],
	failed: ['error', 'FAILURE', 'FAILED', 'Failed', 'timeout'],
	stopped: ['REVOKED', 'stopped', 'cancelled', 'CANCELED', 'aborted'],
	not_found: ['NOT FOUND', 'NOT_FOUND', 'not-found', 'NotFound', 'Not found.'],
	pending_human_input: [
		'pending_human_input',
		'PENDING_HUMAN_INPUT',
		'Pending Human Input',
		'pending-human-input',
		'pendingHumanInput',
		'PendingHumanInput',
		'awaiting_human_feedback',
		'Awaiting human feedback',
		'waiting_for_human_input',
		'waiting for feedback',
		'paused for human review',
		'PAUSED',
		'requires_approval',
		'human_input_required',
		'HUMAN FEEDBACK REQUESTED',
		'input-required',
	],
};

describe('statusOfWord', () => {
	it.each(Object.entries(WORDS).flatMap(([status, words]) => words.map((word) => [word, status])))(
		'reads %j as %s',
		(word, status) => {
			expect(statusOfWord(word)).toBe(status);
		},
	);

	it.each([
		['a word it does not know', 'sleeping'],
		['nothing', ''],
		['punctuation', '---'],
		[
			'the text of an exception',
			'failed to connect to the model after 3 tries, giving up for good',
		],
		['a number', 1],
		['an object', { status: 'running' }],
		['a list', ['running']],
		['null', null],
		['a name that all objects have', 'constructor'],
	])('knows no status for %s', (_what, word) => {
		expect(statusOfWord(word)).toBeUndefined();
	});
});

describe('isSettled', () => {
	it.each<[ExecutionStatus, boolean]>([
		['started', false],
		['running', false],
		['unknown', false],
		['pending_human_input', true],
		['completed', true],
		['failed', true],
		['stopped', true],
		['not_found', true],
	])('of %s: %s', (status, expected) => {
		expect(isSettled(status)).toBe(expected);
	});
});
