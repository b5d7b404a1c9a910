import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

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

/** Milliseconds between two requests for a sign of life. */
const ASKING = 5_000;
/** How many of these may be unanswered: a machine that slept or was busy is no reason to end the host. */
const MOST_UNANSWERED = 4;
/** Milliseconds that the host has to end, which must be less than the server's own time. */
const GRACE = 2_500;
/** Further milliseconds for the reaper's work, before it is killed. */
const LAST_CHANCE = 1_000;
/** How many lines of its standard error are kept, and how many a message has. */
const KEPT_LINES = 50;
const TOLD_LINES = 5;

export interface HostSettings {
	python: string;
	/** The project's folder, absolute. */
	folder: string;
	/** The name of the crew, if the project has several. */
	crewName?: string;
	/** Where the crew is, as `module:name`, instead of searching for it. */
	entry?: string;
	/** The socket to which children connect, in its own folder, which the host removes if the server is gone. */
	socket: string;
	/** Where CrewAI keeps memory and the like, absolute. */
	storage: string;
	/** Where tasks write their output files, absolute (default: the project's folder). */
	files?: string;
	env: NodeJS.ProcessEnv;
	/** Takes what the project prints while it is imported. */
	onPrinted: Printed;
	/** The log for what happens to it. */
	log: Log;
}

/** Takes lines that a process has written. */
export type Printed = (lines: readonly string[]) => void;

type Exit = Extract<HostReport, { type: 'exited' }>;

/** The Python process that has imported the project, and starts children on demand. */
export class Host {
	/** What it reported after the import of the project. */
	imported: Extract<HostReport, { type: 'imported' }> | undefined;
	/** Whether the process is gone. */
	isGone = false;
	private readonly exits = new Map<number, (exit: Omit<Exit, 'type'>) => void>();
	/** Children that were told to end, and have not ended yet. */
	private readonly ending = new Set<number>();
	private readonly printed: Map<number, Printed>;
	private lastChild = 0;
	/** How many requests for a sign of life are unanswered. */
	private unanswered = 0;
	private isToEnd = false;
	private readonly control: Duplex;
	private readonly errors: string[] = [];
	/** What was last reported about the place of the import; `undefined` until the host writes its stack. */
	private told: 'nothing' | 'innermost' | 'of_project' | undefined;
	/** Resolves once the process is gone. */
	readonly gone: Promise<void>;

	private constructor(
		/** The host's reaper, which ends in the same way as the host. On SIGTERM, it kills the host and everything that it has started. */
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
	 * @param onSpawn gets it before the import, so that it can be ended meanwhile
	 * @throws {Error} saying why the project cannot be run, and what to do
	 */
	static async start(settings: HostSettings, onSpawn: (host: Host) => void): Promise<Host> {
		const process = spawn(settings.python, [PROGRAM], {
			cwd: settings.folder,
			env: settings.env,
			// Ctrl-C in a terminal is for the server only. What the project prints comes as reports, without secrets.
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
		await Promise.race([ready, host.rejectedAtExit(exit)]);
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
		// Their time is over: a host that has not reported their end hangs.
		if (this.ending.size > 0) this.kill();
		this.control.destroy();
		await this.gone;
	}

	/** Makes the reaper kill it; if the reaper is stopped or hangs, kills that. */
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

	/** Asks for a sign of life, but not during an import, which takes its time, and reports its place. */
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

	/** Reads a line of the import's stack, which the host writes again and again, innermost first. */
	private tellWhere(line: string): void {
		if (line.startsWith('Stack ')) this.told = 'nothing';
		// What Python makes of a text has no file.
		const at = /^ {2}(File "[^<].*)$/.exec(line)?.[1];
		if (at === undefined || !this.told || this.told === 'of_project') return;
		const isOfProject = at.includes(this.settings.folder);
		if (this.told === 'innermost' && !isOfProject) return;
		this.told = isOfProject ? 'of_project' : 'innermost';
		this.settings.log.warn({ at }, 'still_importing');
	}

	/** Rejects once the process is gone, saying why. */
	private async rejectedAtExit(exit: Promise<Exited>): Promise<never> {
		const { python, folder } = this.settings;
		const [code, signal] = await exit.catch((error: unknown) => {
			throw new Error(`The Python ${python} cannot be started: ${(error as Error).message}`);
		});
		// Its last lines may come later, and what it has started may keep its standard error open.
		const { stderr } = this.process;
		if (stderr && !stderr.readableEnded)
			await Promise.race([once(stderr, 'end'), sleep(LAST_CHANCE, undefined, { ref: false })]);
		const how = signal === null ? `with exit code ${code ?? 0}` : `by ${signal}`;
		const told = this.errors.slice(-TOLD_LINES).map((line) => `\n${line}`);
		const why = told.join('') || ` To see why, import it yourself, with ${python}.`;
		throw new Error(
			`The project in ${folder} cannot be imported: Python ended meanwhile, ${how}.${why}`,
		);
	}

	private logEnd([code, signal]: Exited): void {
		const text = this.errors.join('\n') || undefined;
		this.settings.log.error({ exit_code: code, signal, text }, 'host_ended');
	}

	/** Gives up its children, since nobody can report their end anymore. */
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
		// A host without a connection is useless. It ends by itself, unless it is importing or hangs.
		this.control.on('close', () => {
			const grace = this.isToEnd && !this.imported ? 0 : GRACE;
			const late = setTimeout(() => {
				this.kill();
			}, grace);
			void this.gone.then(() => {
				clearTimeout(late);
			});
		});
	}
}

/** Exit code or signal. */
type Exited = [number | null, string | null];
