import { useState } from 'preact/hooks';

import { post, type ApiProblem } from './api';

/**
 * A command that a button sends. After each try, `refresh` shows what has changed.
 *
 * @returns what sends it, and why the last try failed
 */
export function useCommand(
	refresh: () => void,
	path: string,
	body?: unknown,
): [send: () => void, problem: string] {
	const [problem, setProblem] = useState('');
	const send = async () => {
		try {
			await post(path, body);
			setProblem('');
		} catch (error) {
			setProblem((error as ApiProblem).message);
		}
		refresh();
	};
	return [() => void send(), problem];
}
