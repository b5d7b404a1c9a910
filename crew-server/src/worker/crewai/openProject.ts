import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Children } from './children';
import { describeCrew, type DescribedCrew } from './describeCrew';
import { findPython } from './findPython';
import type { HostSettings, Printed } from './host';

/** The `log` also gets what the project prints outside of executions. */
export interface ProjectSettings extends Pick<
	HostSettings,
	'folder' | 'crewName' | 'entry' | 'log'
> {
	/** The Python to run it on (default: that of its environment). */
	python?: string;
	/** Where CrewAI keeps memory and the like, absolute (default: a folder that goes with the project). */
	storage?: string;
	/** A folder to use instead, also for tasks' output files, which several servers share. */
	sharedStorage?: string;
	/** The server's tokens: no variable of the project's processes may have them as its value or, unless they are short, as a part. */
	withheld: readonly string[];
	/** Bytes of the largest output that a task may have. */
	outputLimit: number;
}

/** An imported project, and its crew. */
export interface OpenProject extends DescribedCrew {
	/** The Python that it runs on. */
	python: string;
	children: Children;
	/** Ends its processes, and releases its resources. */
	close(): Promise<void>;
}

/** JSON can take six bytes for one character, and a report has a few texts besides the output. */
const REPORT_LIMIT_FACTOR = 8;

/**
 * Imports a CrewAI project, and builds its crew once.
 *
 * @throws {Error} saying why it cannot be run, and what to do
 */
export async function openProject(settings: ProjectSettings): Promise<OpenProject> {
	const { folder, crewName, entry, outputLimit, withheld, log } = settings;
	const onPrinted: Printed = (lines) => {
		for (const text of lines) log.info({ text }, 'printed');
	};
	const python = findPython(folder, settings.python);
	const temporary = temporaryFolder();
	const { storage, files } = storageOf(settings, temporary.path);
	let children: Children | undefined;
	const close = async () => {
		await children?.close();
		temporary.remove();
	};
	try {
		const env = withoutValues(process.env, withheld);
		const socket = join(temporary.path, 'children');
		const hostSettings: HostSettings = {
			...{ python, folder, crewName, entry, socket, storage, files, env, onPrinted, log },
		};
		children = await Children.start(hostSettings, outputLimit * REPORT_LIMIT_FACTOR + 1024 ** 2);
		return { python, children, close, ...(await describeCrew(children, folder, onPrinted)) };
	} catch (error) {
		await close();
		throw error;
	}
}

/** Creates the folders for what the project keeps. */
function storageOf(
	{ sharedStorage, storage: own }: ProjectSettings,
	temporary: string,
): Pick<HostSettings, 'storage' | 'files'> {
	if (sharedStorage !== undefined) {
		const storage = resolve(sharedStorage);
		// Its owner decides who else may use it.
		mkdirSync(storage, { recursive: true });
		return { storage, files: join(storage, 'files') };
	}
	const storage = own ?? join(temporary, 'storage');
	// Only this user may read it.
	mkdirSync(storage, { recursive: true, mode: 0o700 });
	chmodSync(storage, 0o700);
	return { storage };
}

/** A folder that only this user can reach, and that is removed with the process at the latest. */
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

/** Shorter values are parts of paths, names of models and so on. */
const SHORTEST_PART = 16;

function withoutValues(env: NodeJS.ProcessEnv, values: readonly string[]): NodeJS.ProcessEnv {
	const isIn = (text: string) => (value: string) =>
		value.length < SHORTEST_PART ? text === value : text.includes(value);
	return Object.fromEntries(
		Object.entries(env).filter(([, text = '']) => !values.some(isIn(text))),
	);
}
