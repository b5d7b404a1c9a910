import { firstId } from './json';

/**
 * The ID of the execution in an answer of `POST /kickoff`: `kickoff_id`, or `id` as some deployments
 * name it. `undefined` if there is none.
 */
export function readKickoffId(body: unknown): string | undefined {
	return firstId(body, 'kickoff_id', 'kickoffId', 'execution_id', 'id');
}

/**
 * Why `value` cannot be sent as an ID inside a path, or `undefined` if it can. IDs are opaque, but one
 * with a slash or dots would name another path of the server.
 */
export function idProblem(value: unknown): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return 'is empty';
	if (typeof value === 'number' && !Number.isSafeInteger(value)) {
		return 'is a number that has lost digits: it has to be text';
	}
	const id = String(value).trim();
	if (id === '') return 'is empty';
	if (/\p{Cc}/u.test(id)) return 'has a control character';
	if (/[/\\]/.test(id) || id === '.' || id.includes('..')) return 'has a "/" or ".."';
	if (!id.isWellFormed()) return 'has half a character';
	return undefined;
}
