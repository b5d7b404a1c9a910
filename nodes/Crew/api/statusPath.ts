import { isTooMuchText } from '../model/json';
import { idProblem } from '../model/kickoff';
import { CrewApiError } from './errors';
import type { CrewResponse } from './exchange';
import { remember } from './remember';

const STATUS_PATHS = {
	/** The specification's. */
	documented: (id: string) => `/${id}/status`,
	/** That of many live deployments and of older documentation. */
	older: (id: string) => `/status/${id}`,
};
type StatusPath = keyof typeof STATUS_PATHS;

/** Which path worked, per base URL, for as long as n8n runs. */
const knownPath = new Map<string, StatusPath>();

/**
 * Asks for an execution's status on the path that worked before, else on the specification's, and on
 * the other one if the deployment has no such path.
 *
 * @returns the answer of the path that knows the execution; if neither does, the more telling one
 */
export async function requestStatus(
	baseUrl: string,
	kickoffId: string,
	get: (path: string) => Promise<CrewResponse>,
): Promise<CrewResponse> {
	const id = pathSegment(kickoffId);
	const ask = async (path: StatusPath) => {
		const response = await get(STATUS_PATHS[path](id));
		if (response.status < 300 && response.body !== undefined) remember(knownPath, baseUrl, path);
		return response;
	};
	const known = knownPath.get(baseUrl);
	const first = known ?? 'documented';
	const answer = await ask(first);
	// A page on the path that worked before is what stands in front of the crew now.
	if (!isNoSuchPath(answer) || (known && answer.status < 300)) return answer;
	const second = await ask(first === 'documented' ? 'older' : 'documented');
	// If neither path knows the execution, the one with that name for it says so with a 404.
	const isLessTelling = isNoSuchPath(second) && (second.status !== 404 || answer.status === 404);
	return isLessTelling ? answer : second;
}

/** Unknown paths get 404 or 405, or a page if a web application answers everything. */
function isNoSuchPath({ status, body, text }: CrewResponse): boolean {
	const isPage = status < 300 && body === undefined && !isTooMuchText(text);
	return status === 404 || status === 405 || isPage;
}

/**
 * A kickoff ID as one segment of a path. An ID that a crew returned is no safer than a typed one.
 *
 * @throws CrewApiError if the ID would lead to another path, or cannot be sent
 */
export function pathSegment(kickoffId: string): string {
	const problem = idProblem(kickoffId);
	if (problem === undefined) return encodeURIComponent(kickoffId);
	throw new CrewApiError(`The kickoff ID ${problem}`, {
		description: 'Use the kickoff_id that Kickoff returned.',
	});
}
