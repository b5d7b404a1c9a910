import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

import { findCrew, type FoundCrew } from './findCrew';
import { fingerprintOf } from './fingerprint';
import type { Log } from './log';
import type { CrewServerOptions } from './options';
import { playedEngine } from './simulator/played/playedEngine';
import type { Simulator } from './simulator/simulator';
import { startCrewaiEngine } from './worker/crewai/crewaiEngine';
import type { Engine } from './worker/engine';

/** A crew or project to run, or an engine that does the work. */
export type FoundWork = FoundCrew | Engine;

/** Bytes of the largest output that a task may have by default. */
export const OUTPUT_LIMIT = 16 * 1024 * 1024;

/**
 * What to run.
 *
 * @throws {BrokenFileError} if the crew's file is none
 * @throws {Error} if there is no such crew, saying what can be given
 */
export function findWork({
	engine,
	crew = 'research',
	played = false,
}: CrewServerOptions): FoundWork {
	if (engine) return engine;
	return typeof crew === 'string' ? findCrew(crew, played) : { definition: crew };
}

/** The version of what is run; `undefined` if it has none. */
export function versionOf(found: FoundWork, { project = {} }: CrewServerOptions) {
	if ('begin' in found) return undefined;
	if ('folder' in found) return fingerprintOf(found.folder, project.crewName, project.entry);
	return createHash('sha256').update(JSON.stringify(found.definition)).digest('hex');
}

/**
 * The machine that has the files of its executions, of all machines that share a database; `undefined` if they share a
 * folder, or if nothing is written.
 */
export function machineOf(found: FoundWork, { project = {} }: CrewServerOptions) {
	const hasFiles = 'folder' in found && project.sharedStorage === undefined;
	return hasFiles ? `${hostname()}:${found.folder}` : undefined;
}

/** The engine that runs the crew. */
export async function startEngine(
	found: FoundWork,
	simulator: Simulator | undefined,
	withheld: readonly string[],
	log: Log,
	options: CrewServerOptions,
): Promise<Engine> {
	if ('begin' in found) return found;
	const { dataFolder } = options;
	const outputLimit = options.outputLimit ?? OUTPUT_LIMIT;
	if ('definition' in found) {
		refuseOfProjects(options);
		const { workFaults } = simulator ?? {};
		return playedEngine({ crew: found.definition, workFaults, outputLimit });
	}
	// This takes many seconds, or forever if the project's own code does.
	log.info({ folder: found.folder }, 'importing');
	return await startCrewaiEngine({
		...options.project,
		folder: found.folder,
		storage: dataFolder && resolve(dataFolder, 'crewai'),
		withheld,
		outputLimit,
		log,
	});
}

/** Refuses options that would have no effect on a played crew. */
function refuseOfProjects({ project = {} }: CrewServerOptions): void {
	const names: Record<keyof typeof project, string> = {
		python: '--python',
		crewName: '--crew',
		entry: '--entry',
		parallel: '--parallel',
		limit: '--limit',
		maxTokens: '--max-tokens',
		memoryLimit: '--memory-limit',
		sharedStorage: '--storage',
	};
	for (const [name, option] of Object.entries(names)) {
		if (project[name as keyof typeof names] === undefined) continue;
		throw new Error(`${option} is for CrewAI projects, and this crew is played: leave it out.`);
	}
}
