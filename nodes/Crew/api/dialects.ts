import { isTooMuchText, type JsonRecord } from '../model/json';
import { idProblem } from '../model/kickoff';
import { CrewApiError } from './errors';
import type { CrewResponse } from './exchange';
import { remember } from './remember';

/** The specification's dialect, and that of many live deployments and older documentation. */
type Dialect = 'documented' | 'other';

const otherThan = (dialect: Dialect): Dialect => (dialect === 'other' ? 'documented' : 'other');

/** Which one worked for each base URL, as long as n8n runs. */
const knownPaths = new Map<string, Dialect>();
const knownNames = new Map<string, Dialect>();

const STATUS_PATHS: Record<Dialect, (id: string) => string> = {
	documented: (id) => `/${id}/status`,
	other: (id) => `/status/${id}`,
};

/**
 * Asks for an execution's status on the path that worked before, else on the specification's, and on
 * the other one if the deployment has no such path.
 *
 * @returns the answer of the path that knows the execution; if neither does, the more informative one
 */
export async function requestStatus(
	baseUrl: string,
	kickoffId: string,
	get: (path: string) => Promise<CrewResponse>,
): Promise<CrewResponse> {
	const id = pathSegment(kickoffId);
	const ask = async (dialect: Dialect) => {
		const response = await get(STATUS_PATHS[dialect](id));
		if (response.status < 300 && response.body !== undefined)
			remember(knownPaths, baseUrl, dialect);
		return response;
	};
	const known = knownPaths.get(baseUrl);
	const first = known ?? 'documented';
	const answer = await ask(first);
	// If this path worked before, a web page comes from something in front of the crew, such as a proxy.
	if (!isNoSuchPath(answer) || (known && answer.status < 300)) return answer;
	const second = await ask(otherThan(first));
	// If neither path knows the execution, the path that exists says so with a 404.
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

/** How a deployment asks for the fields by these names if it got the others. */
const ASKED_FOR: Record<Dialect, RegExp> = {
	documented: /\b(execution_id|task_id)\b/,
	other: /\b(executionId|taskId)\b/,
};

/**
 * Sends a resume with the names that this deployment took before, else with the specification's. A 422
 * that asks for fields by their other names proves that nothing has happened: the same is sent once
 * more with those.
 */
export async function requestResume(
	baseUrl: string,
	body: JsonRecord,
	post: (body: JsonRecord) => Promise<CrewResponse>,
): Promise<CrewResponse> {
	const first = knownNames.get(baseUrl) ?? 'documented';
	const answer = await post(named(body, first));
	const second = otherThan(first);
	if (!asksFor(second, answer)) return answer;
	const next = await post(named(body, second));
	if (!asksFor(first, next)) remember(knownNames, baseUrl, second);
	return next;
}

/** `execution_id` is `executionId` in the other dialect: its names are like those of the callback fields. */
function named(body: JsonRecord, names: Dialect): JsonRecord {
	if (names === 'documented') return body;
	const inCamelCase = (name: string) =>
		name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [inCamelCase(name), value]),
	);
}

/** Whatever the shape of the refusal. */
function asksFor(names: Dialect, { status, body, text }: CrewResponse): boolean {
	if (status !== 422) return false;
	return ASKED_FOR[names].test(body === undefined ? text : JSON.stringify(body, withoutEchoes));
}

/** Frameworks repeat the input in a refusal, which does not mean that they ask for it. */
function withoutEchoes(name: string, value: unknown): unknown {
	return name === 'input' || name === 'value' ? undefined : value;
}
