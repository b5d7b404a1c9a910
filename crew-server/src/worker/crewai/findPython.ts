import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The Python that a project runs on: the named one, else that in the `.venv` of the project or of its uv workspace, else
 * that of the active virtual environment.
 *
 * @throws {Error} saying which command to run if there is none
 */
export function findPython(folder: string, named: string | undefined): string {
	if (named !== undefined) {
		// A bare name is searched for in the PATH when it is started.
		const isPath = /[\\/]/.test(named);
		if (!isPath || existsSync(named)) return named;
		throw new Error(`There is no Python at ${named}, which --python names.`);
	}
	const environments = [
		...workspacesOf(folder).map((one) => join(one, '.venv')),
		process.env['VIRTUAL_ENV'] ?? '',
	];
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

/** A folder, and the folders above it that are roots of a uv workspace. */
function workspacesOf(folder: string): string[] {
	const found = [folder];
	for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
		const file = join(above, 'pyproject.toml');
		const isRoot = existsSync(file) && readFileSync(file, 'utf8').includes('[tool.uv.workspace]');
		if (isRoot) found.push(above);
	}
	return found;
}
