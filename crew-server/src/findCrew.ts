import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { readCrewFile } from './simulator/crew/crewFile';
import { PACKAGE } from './installation';
import type { CrewDefinition } from './simulator/crew/definition';
import { readProject } from './simulator/crew/project';

/** Crews that come with the project, by name. */
export const BUILT_IN_CREWS = ['research', 'reviewed-article'] as const;

const crewsFolder = join(PACKAGE, 'crews');

/** What a crew is started from: a definition to play, or the folder of a CrewAI project. */
export type FoundCrew = { definition: CrewDefinition } | { folder: string };

/**
 * The crew with a built-in name, or in a YAML file or a CrewAI project.
 *
 * @param isPlayed whether a project's texts are played, rather than its crew run
 * @throws {BrokenFileError} if the file is no crew
 * @throws {Error} if there is no such crew, saying what can be given
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
	if (!statSync(path).isDirectory()) {
		if (PROJECT_FILE.test(path)) {
			throw new Error(`${path} is a file of a CrewAI project: give the project's folder.`);
		}
		return { definition: readCrewFile(path) };
	}
	if (isPlayed) return { definition: readProject(path) };
	if (!mayBeProject(path)) {
		throw new Error(
			`There is no crew in ${path}: expected src/<package>/crew.py or crew.jsonc, as \`crewai create\` lays them out. Give the folder of a CrewAI project.`,
		);
	}
	return { folder: path };
}

/** Files that a played crew does not have. */
const PROJECT_FILE = /\.(py|toml|jsonc)$|[\\/]flow\.yaml$/;

/** Files in which a crew or a flow can be defined. */
const DEFINING = /\.py$|^crew\.jsonc?$|^flow\.yaml$|^pyproject\.toml$/;
const DEEPEST = 6;

/** Whether a folder has a file that may define a crew or flow. Python knows more, but must be there first. */
function mayBeProject(folder: string, depth = 0): boolean {
	const entries = readdirSync(folder, { withFileTypes: true });
	// A file may also be a link.
	if (entries.some((one) => !one.isDirectory() && DEFINING.test(one.name))) return true;
	return (
		depth < DEEPEST &&
		entries.some(
			(one) =>
				one.isDirectory() &&
				!/^\.|^node_modules$/.test(one.name) &&
				mayBeProject(join(folder, one.name), depth + 1),
		)
	);
}
