import { idProblem } from '../model/kickoff';
import { CrewApiError } from './errors';

/**
 * A kickoff ID as one segment of a path. An ID that a crew returned is no safer than a typed one.
 *
 * @throws CrewApiError where the ID would lead to another path, or cannot be sent
 */
export function pathSegment(kickoffId: string): string {
	const problem = idProblem(kickoffId);
	if (problem === undefined) return encodeURIComponent(kickoffId);
	throw new CrewApiError(`The kickoff ID ${problem}`, {
		description: 'Use the kickoff_id that Kickoff returned.',
	});
}
