import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The Python that a project runs on: the one that is named, else that of the `.venv` of the project or of the uv
 * workspace that it is in, else that of the virtual environment which is active.
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

/** A folder, and those above it that are the root of a uv workspace. */
function workspacesOf(folder: string): string[] {
	const found = [folder];
	for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
		const file = join(above, 'pyproject.toml');
		const isRoot = existsSync(file) && readFileSync(file, 'utf8').includes('[tool.uv.workspace]');
		if (isRoot) found.push(above);
	}
	return found;
}
