import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The Python that a project runs on: the one that is named, else that of the project's `.venv`, else that of the
 * virtual environment which is active.
 *
 * @throws {Error} saying what to type if there is none
 */
export function findPython(folder: string, named: string | undefined): string {
	if (named !== undefined) {
		// A bare word is looked for in the PATH when it is started.
		const isPath = /[\\/]/.test(named);
		if (!isPath || existsSync(named)) return named;
		throw new Error(`There is no Python at ${named}, which --python names.`);
	}
	const environments = [join(folder, '.venv'), process.env['VIRTUAL_ENV'] ?? ''];
	const candidates = environments
		.filter((environment) => environment !== '')
		.flatMap((environment) => [
			join(environment, 'bin', 'python'),
			join(environment, 'Scripts', 'python.exe'),
		]);
	const python = candidates.find((candidate) => existsSync(candidate));
	if (python !== undefined) return python;
	throw new Error(
		`There is no Python for the project in ${folder}: type \`uv sync\` or \`crewai install\` in that folder, or name a Python that has CrewAI with --python.`,
	);
}
