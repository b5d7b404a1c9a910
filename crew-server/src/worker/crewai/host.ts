import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';

import { PACKAGE } from '../../installation';
import type { Log } from '../../log';
import { readLines, writeLine } from './messageLines';
import {
	HOST_REPORTS,
	PROTOCOL_VERSION,
	readMessage,
	type HostOrder,
	type HostReport,
} from './protocol';

const PROGRAM = join(PACKAGE, 'python');

/** With which the host ends on a Python that cannot read it. */
const PYTHON_TOO_OLD = 3;

/** Milliseconds between two times that it is asked for a sign of life. */
const ASKING = 5_000;
/** How many times it may owe one: a machine that slept, or was busy, is no reason to end it. */
const MOST_UNANSWERED = 4;
/** Milliseconds that it has for its end; this has to be over before the server's own time is. */
const GRACE = 2_500;
/** And for its reaper's work, which force would cut short. */
const LAST_CHANCE = 1_000;
/** Lines of its standard error that are kept. */
const KEPT_LINES = 50;

export interface HostSettings {
	python: string;
	/** The project's folder, absolute. */
	folder: string;
	/** The name of the crew, if the project has several. */
	crewName?: string;
	/** Where the crew is, as `module:name`, if it is not to be found. */
	entry?: string;
	/** Where children connect, in a folder of its own; the host removes that if it finds itself alone. */
	socket: string;
	/** Where CrewAI keeps memory and the like, absolute. */
	storage: string;
	/** Where tasks write their output files, absolute (default: the project's folder). */
	files?: string;
	env: NodeJS.ProcessEnv;
	/** Takes what the project prints while it is imported. */
	onPrinted: Printed;
	/** Takes how it fares. */
	log: Log;
}

/** Takes lines that a process has written. */
export type Printed = (lines: readonly string[]) => void;

type Exit = Extract<HostReport, { type: 'exited' }>;

/** The Python process that has imported the project, and starts a child whenever it is told to. */
export class Host {
	/** What it told once it had imported the project. */
	imported: Extract<HostReport, { type: 'imported' }> | undefined;
	/** Whether the process is gone. */
	isGone = false;
	private readonly exits = new Map<number, (exit: Omit<Exit, 'type'>) => void>();
	/** Children that were told to end, and have not yet. */
	private readonly ending = new Set<number>();
	private readonly printed: Map<number, Printed>;
	private lastChild = 0;
	/** How many signs of life it owes. */
	private unanswered = 0;
	private isToEnd = false;
	private readonly control: Duplex;
	private readonly errors: string[] = [];
	/** What was told last of where the import stands. */
	private told: 'nothing' | 'innermost' | 'of_project' = 'nothing';
	/** Resolves once the process is gone. */
	readonly gone: Promise<void>;

	private constructor(
		/** The host's reaper, which ends as the host does; told to end, it kills the host and all that it has started. */
		private readonly process: ChildProcess,
		exit: Promise<Exited>,
		private readonly settings: HostSettings,
	) {
		this.control = process.stdio[3] as Duplex;
		this.control.on('error', ({ message }) => this.errors.push(message));
		this.printed = new Map([[0, settings.onPrinted]]);
		readLines(process.stderr as Readable, (line) => {
			this.noteError(line);
		});
		const asking = setInterval(() => {
			this.ask();
		}, ASKING);
		this.gone = exit
			.catch(() => undefined)
			.then((how) => {
				clearInterval(asking);
				this.isGone = true;
				if (how && this.imported && !this.isToEnd) this.logEnd(how);
				this.loseChildren();
			});
	}

	/**
	 * Starts the process and waits until it has imported the project.
	 *
	 * @param onSpawn takes it from before the import on, so that it can be ended meanwhile
	 * @throws {Error} saying why the project cannot be run, and what to do
	 */
	static async start(settings: HostSettings, onSpawn: (host: Host) => void): Promise<Host> {
		const process = spawn(settings.python, [PROGRAM], {
			cwd: settings.folder,
			env: settings.env,
			// Ctrl-C in a terminal is the server's; what the project prints comes as reports, without secrets.
			detached: true,
			stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
		});
		const exit = once(process, 'exit') as Promise<Exited>;
		const host = new Host(process, exit, settings);
		onSpawn(host);
		const { folder, crewName = null, entry = null, socket, storage, files = null } = settings;
		const version = PROTOCOL_VERSION;
		host.order({ type: 'open', version, folder, crew: crewName, entry, socket, storage, files });
		const ready = new Promise<void>((resolve, reject) => {
			host.listen(resolve, reject);
		});
		await Promise.race([ready, rejectedAtExit(exit, settings)]);
		return host;
	}

	/** @returns the number of the new child, and how it ends */
	fork(onPrinted: Printed): { child: number; exited: Promise<Omit<Exit, 'type'>> } {
		const child = ++this.lastChild;
		const exited = new Promise<Omit<Exit, 'type'>>((resolve) => {
			this.exits.set(child, resolve);
		});
		this.printed.set(child, onPrinted);
		if (this.isGone) this.loseChildren();
		else this.order({ type: 'fork', child });
		return { child, exited };
	}

	/** Ends a child with all its processes, within about two seconds. */
	end(child: number): void {
		if (this.exits.has(child)) this.ending.add(child);
		this.order({ type: 'end', child });
	}

	/** Ends all children at once, then the host itself. */
	async close(): Promise<void> {
		this.isToEnd = true;
		// They had their time: a host that has not told of their end hangs.
		if (this.ending.size > 0) this.kill();
		this.control.destroy();
		await this.gone;
	}

	/** Kills it by its reaper; if that is stopped or hangs itself, by force. */
	private kill(): void {
		this.process.kill();
		const late = setTimeout(() => this.process.kill('SIGKILL'), LAST_CHANCE);
		void this.gone.then(() => {
			clearTimeout(late);
		});
	}

	private order(order: HostOrder): void {
		writeLine(this.control, order);
	}

	/** Nobody reads during an import: that takes as long as it takes, and tells where it stands. */
	private ask(): void {
		if (!this.imported) return;
		if (this.unanswered >= MOST_UNANSWERED) {
			this.settings.log.error({}, 'host_hangs');
			this.kill();
			return;
		}
		this.unanswered += 1;
		this.order({ type: 'ask' });
	}

	private noteError(line: string): void {
		this.errors.push(line);
		if (this.errors.length > KEPT_LINES) this.errors.shift();
		if (!this.imported) this.tellWhere(line);
	}

	/** As the host writes it, again and again: the innermost place first, then where that was called. */
	private tellWhere(line: string): void {
		if (line.startsWith('Stack ')) this.told = 'nothing';
		// What Python makes of a text has no file.
		const at = /^ {2}(File "[^<].*)$/.exec(line)?.[1];
		if (at === undefined || this.told === 'of_project') return;
		const isOfProject = at.includes(this.settings.folder);
		if (this.told === 'innermost' && !isOfProject) return;
		this.told = isOfProject ? 'of_project' : 'innermost';
		this.settings.log.warn({ at }, 'still_importing');
	}

	private logEnd([code, signal]: Exited): void {
		const text = this.errors.join('\n') || undefined;
		this.settings.log.error({ exit_code: code, signal, text }, 'host_ended');
	}

	/** Nobody tells any more how its children end. */
	private loseChildren(): void {
		for (const [child, resolve] of this.exits) {
			resolve({ child, code: null, signal: null, lines: ['The host of the crew has ended.'] });
		}
		this.exits.clear();
	}

	private listen(onImported: () => void, onRefused: (error: Error) => void): void {
		readLines(this.control, (line) => {
			const report = readMessage(line, HOST_REPORTS);
			switch (report.type) {
				case 'imported':
					this.imported = report;
					onImported();
					return;
				case 'refused':
					onRefused(new Error(report.message));
					return;
				case 'printed':
					this.printed.get(report.child)?.(report.lines);
					return;
				case 'exited':
					this.printed.delete(report.child);
					this.ending.delete(report.child);
					this.exits.get(report.child)?.(report);
					this.exits.delete(report.child);
					return;
				case 'alive':
					this.unanswered = 0;
			}
		});
		// A host that cannot be talked to is of no use. It ends by itself, but for one that imports or hangs.
		this.control.on('close', () => {
			if (!this.imported) this.kill();
			const late = setTimeout(() => {
				this.kill();
			}, GRACE);
			void this.gone.then(() => {
				clearTimeout(late);
			});
		});
	}
}

/** Exit code or signal. */
type Exited = [number | null, string | null];

/** Rejects once the process is gone, saying why. */
async function rejectedAtExit(
	exit: Promise<Exited>,
	{ python, folder }: HostSettings,
): Promise<never> {
	const [code, signal] = await exit.catch((error: unknown) => {
		throw new Error(`The Python ${python} cannot be started: ${(error as Error).message}`);
	});
	if (code === PYTHON_TOO_OLD) {
		throw new Error(
			`The Python ${python} is too old for CrewAI: it needs 3.10 to 3.13. Make an environment with one of them in ${folder}, or name another Python with --python.`,
		);
	}
	const how = signal === null ? `with exit code ${code ?? 0}` : `by ${signal}`;
	throw new Error(`The project in ${folder} cannot be imported: Python ended meanwhile, ${how}.`);
}
