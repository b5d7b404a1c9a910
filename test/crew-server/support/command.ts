import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { bundled } from './bundled';
import { until } from './until';

const root = join(__dirname, '..', '..', '..');

let fromSource: string[] | undefined;

/** The command, run from its sources. */
const ofSources = () => {
	fromSource ??= [process.execPath, bundled(join(root, 'crew-server', 'src', 'main.ts'))];
	return fromSource;
};

interface Settings {
	/** The command and its first arguments; from its sources by default. */
	program?: string[];
	env?: Record<string, string>;
	/** The folder to run in; the repository's by default. */
	folder?: string;
}

/** The command in a separate process, which alone gets signals. */
export class Command {
	output = '';
	/** Resolves with the exit code, once all of its output has been read. */
	readonly ended: Promise<number | null>;
	private readonly child: ChildProcess;

	constructor(args: string[], { program = ofSources(), env = {}, folder = root }: Settings = {}) {
		const [file = '', ...first] = program;
		this.child = spawn(file, [...first, ...args], {
			cwd: folder,
			env: { ...process.env, ...env },
		});
		const listen = (chunk: Buffer) => (this.output += chunk.toString());
		this.child.stdout?.on('data', listen);
		this.child.stderr?.on('data', listen);
		this.ended = once(this.child, 'close').then(([code]) => code as number | null);
	}

	/** Waits until a pattern is printed, and returns its first group. */
	async said(pattern: RegExp, within = 60_000): Promise<string> {
		const matched = await until(() => pattern.exec(this.output) ?? this.hasEnded, within);
		if (matched === true) throw new Error(`It ended without ${pattern.source}: ${this.output}`);
		return matched[1] ?? '';
	}

	get pid(): number | undefined {
		return this.child.pid;
	}

	get hasEnded(): boolean {
		return this.child.exitCode !== null || this.child.signalCode !== null;
	}

	kill(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	/** Stops reading what it prints, which it can notice. */
	stopReading(): void {
		this.child.stdout?.destroy();
		this.child.stderr?.destroy();
	}

	/** The lines of JSON that it has printed. */
	get lines(): Array<Record<string, unknown>> {
		const lines = this.output.trim().split('\n');
		return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	}
}
