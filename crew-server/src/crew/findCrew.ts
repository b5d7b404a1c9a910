import { existsSync, statSync } from 'node:fs';
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
	return isPlayed ? { definition: readProject(path) } : { folder: path };
}
