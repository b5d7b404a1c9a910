import type { CrewDescription } from '../../domain/crew';
import { retriesExhausted } from '../../domain/interruption';
import type { Engine, Run, Work } from '../engine';
import { CrewWork } from './crewWork';
import { tellsMemory } from './memory';
import { openProject, type OpenProject, type ProjectSettings } from './openProject';
import { defaultParallel } from './parallel';
import { WarmPool } from './warmPool';

export interface CrewaiSettings extends ProjectSettings {
	/** How many executions run at once (default: as many as cores and free memory allow). */
	parallel?: number;
	/** Minutes after which the work on an execution is stopped (default: never). */
	limit?: number;
	/** Model tokens that one execution may use (default: any number). */
	maxTokens?: number;
	/** Megabytes of memory that the processes of one execution may use (default: any number). */
	memoryLimit?: number;
}

/**
 * Runs the crew of a CrewAI project, with CrewAI.
 *
 * @throws {Error} saying why it cannot be run, and what to do
 */
export async function startCrewaiEngine(settings: CrewaiSettings): Promise<Engine> {
	if (settings.memoryLimit !== undefined && !tellsMemory) {
		throw new Error(
			'This system does not say how much memory processes use: leave out --memory-limit.',
		);
	}
	return new CrewaiEngine(await openProject(settings), settings);
}

class CrewaiEngine implements Engine {
	readonly parallel: number;
	private readonly warmPool: WarmPool;

	constructor(
		private readonly project: OpenProject,
		private readonly settings: CrewaiSettings,
	) {
		this.parallel = settings.parallel ?? defaultParallel();
		this.warmPool = new WarmPool(project.children, project.buildsEarly);
	}

	get crew(): CrewDescription {
		return this.project.crew;
	}

	get problem(): string | undefined {
		return this.project.children.problem;
	}

	begin(run: Run): Work {
		const error = retriesExhausted(run.execution);
		if (error !== undefined) {
			const finished = run.report({ type: 'failed', error }).then(() => undefined);
			return { finished, end: () => undefined };
		}
		const { limit, maxTokens, memoryLimit, outputLimit } = this.settings;
		const work = new CrewWork(
			{
				takeChild: () => this.warmPool.take(),
				timeLimit: limit === undefined ? undefined : limit * 60_000,
				maxTokens,
				memoryLimit,
				outputLimit,
			},
			run,
		);
		work.begin();
		return work;
	}

	async close(): Promise<void> {
		await this.project.close();
	}
}
