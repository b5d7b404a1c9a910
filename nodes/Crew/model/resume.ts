import { firstId, firstText } from './json';
import { idProblem } from './kickoff';

/** What came of a resume. */
export interface Resumed {
	/** `started` if the execution goes on under another ID, and no more is said: as after a kickoff. */
	status: 'resumed' | 'retrying' | 'completed' | 'started' | 'unknown';
	message?: string;
	/** The ID under which the execution goes on, if it is another one. */
	newId?: string;
}

/**
 * Reads the answer of `POST /resume`: `{status, message}`, or `{kickoff_id}` with the ID under which
 * the execution goes on; as at kickoff, some deployments name it `id`.
 *
 * @param kickoffId the ID that was resumed
 */
export function readResume(body: unknown, kickoffId: string): Resumed {
	const word = firstText(body, 'status', 'state')?.trim().toLowerCase();
	const status = (['resumed', 'retrying', 'completed'] as const).find((known) => known === word);
	const names = ['kickoff_id', 'kickoffId', 'execution_id', 'executionId'];
	// Beside a word, `id` may be anything's.
	if (status === undefined) names.push('id');
	const given = firstId(body, ...names);
	const isNew = given !== undefined && given !== kickoffId && idProblem(given) === undefined;
	return {
		status: status ?? (isNew ? 'started' : 'unknown'),
		message: firstText(body, 'message', 'detail'),
		newId: isNew ? given : undefined,
	};
}
