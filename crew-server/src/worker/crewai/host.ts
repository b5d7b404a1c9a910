import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { readLines, writeLine } from './messageLines';
import {
	HOST_REPORTS,
	PROTOCOL_VERSION,
	readMessage,
	type HostOrder,
	type HostReport,
} from './protocol';

const PROGRAM = join(__dirname, '..', '..', '..', 'python');

/** With which the host ends on a Python that cannot read it. */
const PYTHON_TOO_OLD = 3;

export interface HostSettings {
	python: string;
	/** The project's folder, absolute. */
	folder: string;
	/** The name of the crew, if the project has several. */
	crewName?: string;
	/** Where children connect, in a folder of its own; the host removes that if it finds itself alone. */
	socket: string;
	/** Where CrewAI keeps memory and the like, absolute. */
	storage: string;
	env: NodeJS.ProcessEnv;
	/** Takes what the project prints while it is imported. */
	onPrinted: Printed;
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
	private readonly printed: Map<number, Printed>;
	private lastChild = 0;

	private constructor(
		private readonly process: ChildProcess,
		private readonly control: Duplex,
		/** Resolves once the process is gone. */
		readonly gone: Promise<void>,
		onPrinted: Printed,
	) {
		this.printed = new Map([[0, onPrinted]]);
		void gone.then(() => {
			this.isGone = true;
			this.loseChildren();
		});
	}

	/**
	 * Starts the process and waits until it has imported the project.
	 *
	 * @throws {Error} saying why the project cannot be run, and what to do
	 */
	static async start(settings: HostSettings): Promise<Host> {
		const process = spawn(settings.python, [PROGRAM], {
			cwd: settings.folder,
			env: settings.env,
			// Ctrl-C in a terminal is the server's; what the project prints comes as reports, without secrets.
			detached: true,
			stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
		});
		const control = process.stdio[3] as Duplex;
		control.on('error', () => undefined);
		const exit = once(process, 'exit') as Promise<[number | null, string | null]>;
		const gone = exit.then(
			() => undefined,
			() => undefined,
		);
		const host = new Host(process, control, gone, settings.onPrinted);
		const { folder, crewName = null, socket, storage } = settings;
		const version = PROTOCOL_VERSION;
		writeLine(control, {
			type: 'open',
			version,
			folder,
			crew: crewName,
			socket,
			storage,
		} satisfies HostOrder);
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
		else writeLine(this.control, { type: 'fork', child } satisfies HostOrder);
		return { child, exited };
	}

	/** Ends a child with all its processes, within about two seconds. */
	end(child: number): void {
		writeLine(this.control, { type: 'end', child } satisfies HostOrder);
	}

	/** Ends all children at once, then the host itself. */
	async close(): Promise<void> {
		this.control.destroy();
		await this.gone;
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
					this.exits.get(report.child)?.(report);
					this.exits.delete(report.child);
			}
		});
		// A host that cannot be talked to is of no use.
		this.control.on('close', () => {
			this.process.kill();
		});
	}
}

/** Rejects once the process is gone, saying why. */
async function rejectedAtExit(
	exit: Promise<[number | null, string | null]>,
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
