import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { readCrewFile } from './crewFile';
import type { CrewDefinition } from './definition';
import { readProject } from './project';

/** Crews that come with the project, by name. */
export const BUILT_IN_CREWS = ['research', 'reviewed-article'] as const;

const crewsFolder = join(__dirname, '..', '..', 'crews');

/** What a crew is started from: a definition to play, or the folder of a CrewAI project. */
export type FoundCrew = { definition: CrewDefinition } | { folder: string };

/**
 * The crew of a built-in name or of the path of a YAML file or of a CrewAI project.
 *
 * @param isPlayed whether a project's texts are played, rather than its crew run
 * @throws {BrokenFileError} where the file is no crew
 * @throws {Error} where there is no such crew, saying what can be given
 */
export function findCrew(nameOrPath: string, isPlayed: boolean): FoundCrew {
	if (BUILT_IN_CREWS.some((name) => name === nameOrPath)) {
		return { definition: readCrewFile(join(crewsFolder, `${nameOrPath}.yaml`)) };
	}
	const path = resolve(nameOrPath);
	if (!existsSync(path)) {
		throw new Error(
			`There is no crew "${nameOrPath}": give ${BUILT_IN_CREWS.join(' or ')}, or the path of a crew's YAML file or of a CrewAI project.`,
		);
	}
	if (!statSync(path).isDirectory()) return { definition: readCrewFile(path) };
	if (isPlayed) return { definition: readProject(path) };
	if (!mayBeProject(path)) {
		throw new Error(
			`There is no crew in ${path}: expected src/<package>/crew.py or crew.jsonc, as \`crewai create\` lays them out. Give the folder of a CrewAI project.`,
		);
	}
	return { folder: path };
}

const DEFINITIONS = [
	...['crew.py', 'crew.jsonc', 'crew.json'],
	...['main.py', 'flow.py', 'flow.yaml', 'pyproject.toml'],
];

/** Whether a folder has any file in which CrewAI would look for a crew or flow; Python knows more, but has to be there. */
function mayBeProject(folder: string): boolean {
	const roots = [folder, join(folder, 'src')].filter((root) => existsSync(root));
	const packages = roots.flatMap((root) => readdirSync(root).map((name) => join(root, name)));
	return [...roots, ...packages].some((place) =>
		DEFINITIONS.some((file) => existsSync(join(place, file))),
	);
}
