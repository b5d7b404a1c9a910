import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CrewDescription } from '../../domain/crew';
import type { Log } from '../../log';
import type { Engine, Run, Work } from '../engine';
import { Children, type Child } from './children';
import { CrewWork, retriesExhausted } from './crewWork';
import { describeCrew } from './describeCrew';
import { findPython } from './findPython';
import type { Printed } from './host';
import { tellsMemory } from './memory';
import { defaultParallel } from './parallel';
import { SpareChildren } from './spareChildren';

export interface CrewaiSettings {
	/** The project's folder, absolute. */
	folder: string;
	/** The name of the crew, if the project has several. */
	crewName?: string;
	/** Where the crew is, as `module:name`, if it is not to be found. */
	entry?: string;
	/** The Python to run it on (default: that of its environment). */
	python?: string;
	/** How many executions run at once (default: as many as cores and free memory allow). */
	parallel?: number;
	/** Minutes after which the work on an execution is ended (default: never). */
	limit?: number;
	/** Tokens of models that one execution may take (default: any number). */
	maxTokens?: number;
	/** Megabytes that the processes of one execution may hold (default: any number). */
	memoryLimit?: number;
	/** Where CrewAI keeps memory and the like, absolute (default: a folder that the engine removes at its end). */
	storage?: string;
	/** Values that no variable of the project's processes may have, nor, unless they are short, a part of one: the server's tokens. */
	withheld: readonly string[];
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
	/** Takes how the host fares, and what the project prints before there is an execution. */
	log: Log;
}

/** Characters of JSON can take six bytes for one of text, and a report has a few texts beside the output. */
const REPORT_LIMIT_FACTOR = 8;

/**
 * Runs the crew of a CrewAI project, with CrewAI.
 *
 * @throws {Error} saying why it cannot be run, and what to do
 */
export async function startCrewaiEngine(settings: CrewaiSettings): Promise<Engine> {
	const { folder, crewName, entry, outputLimit, withheld, log } = settings;
	if (settings.memoryLimit !== undefined && !tellsMemory) {
		throw new Error(
			'This system does not say how much memory processes use: leave out --memory-limit.',
		);
	}
	const onPrinted: Printed = (lines) => {
		for (const text of lines) log.info({ text }, 'printed');
	};
	const python = findPython(folder, settings.python);
	const temporary = temporaryFolder();
	const storage = settings.storage ?? join(temporary.path, 'storage');
	// What it holds is for this user alone.
	mkdirSync(storage, { recursive: true, mode: 0o700 });
	chmodSync(storage, 0o700);
	let children: Children | undefined;
	try {
		const env = withoutValues(process.env, withheld);
		const socket = join(temporary.path, 'children');
		const hostSettings = { python, folder, crewName, entry, socket, storage, env, onPrinted, log };
		children = await Children.start(hostSettings, outputLimit * REPORT_LIMIT_FACTOR + 1024 ** 2);
		const { crew, buildsEarly } = await describeCrew(children, folder, onPrinted);
		return new CrewaiEngine(crew, children, buildsEarly, settings, temporary.remove);
	} catch (error) {
		await children?.close();
		temporary.remove();
		throw error;
	}
}

class CrewaiEngine implements Engine {
	readonly parallel: number;
	private readonly spares: SpareChildren;
	private starting = 0;

	constructor(
		readonly crew: CrewDescription,
		private readonly children: Children,
		buildsEarly: boolean,
		private readonly settings: CrewaiSettings,
		private readonly onClose: () => void,
	) {
		this.parallel = settings.parallel ?? defaultParallel();
		this.spares = new SpareChildren(children, buildsEarly);
		this.spares.fill();
	}

	get problem(): string | undefined {
		return this.children.problem;
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
				takeChild: () => this.takeChild(),
				onUnderWay: () => {
					this.starting -= 1;
					this.fillSpares();
				},
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
		await this.children.close();
		this.onClose();
	}

	private takeChild(): Child {
		this.starting += 1;
		return this.spares.take();
	}

	/** Executions that have just begun need the processor more than the next ones do. */
	private fillSpares(): void {
		if (this.starting === 0) this.spares.fill();
	}
}

/** A folder that only this user can reach, and that goes with the process at the latest. */
function temporaryFolder(): { path: string; remove: () => void } {
	// The path of a socket can have about a hundred bytes.
	const parent = Buffer.byteLength(tmpdir()) > 70 ? '/tmp' : tmpdir();
	const path = mkdtempSync(join(parent, 'crew-'));
	const remove = () => {
		process.off('exit', remove);
		rmSync(path, { recursive: true, force: true });
	};
	process.on('exit', remove);
	return { path, remove };
}

/** Shorter values are parts of paths, of names of models and the like. */
const SHORTEST_PART = 16;

function withoutValues(env: NodeJS.ProcessEnv, values: readonly string[]): NodeJS.ProcessEnv {
	const isIn = (text: string) => (value: string) =>
		value.length < SHORTEST_PART ? text === value : text.includes(value);
	return Object.fromEntries(
		Object.entries(env).filter(([, text = '']) => !values.some(isIn(text))),
	);
}
