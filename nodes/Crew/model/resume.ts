import { firstId, firstText } from './json';
import { idProblem } from './kickoff';

/** The outcome of a resume. */
export interface Resumed {
	/** `started` if the execution continues under a new ID, without further details, as after a kickoff. */
	status: 'resumed' | 'retrying' | 'completed' | 'started' | 'unknown';
	message?: string;
	/** The new ID of the execution, if it has changed. */
	newId?: string;
}

/**
 * Reads the answer of `POST /resume`: `{status, message}`, or `{kickoff_id}` with the execution's new
 * ID; as at kickoff, some deployments call it `id`.
 *
 * @param kickoffId the ID that was resumed
 */
export function readResume(body: unknown, kickoffId: string): Resumed {
	const word = firstText(body, 'status', 'state')?.trim().toLowerCase();
	const status = (['resumed', 'retrying', 'completed'] as const).find((known) => known === word);
	const names = ['kickoff_id', 'kickoffId', 'execution_id', 'executionId'];
	// Next to a status, `id` could be the ID of anything.
	if (status === undefined) names.push('id');
	const given = firstId(body, ...names);
	const isNew = given !== undefined && given !== kickoffId && idProblem(given) === undefined;
	return {
		status: status ?? (isNew ? 'started' : 'unknown'),
		message: firstText(body, 'message', 'detail'),
		newId: isNew ? given : undefined,
	};
}
