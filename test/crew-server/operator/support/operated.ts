import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '../../support/client';
import { Command } from '../../support/command';
import { ProjectFolder } from './projectFolder';

export const TOKEN = 'token-of-the-organisation';

/** A crew server like an operator's: a command with its output. */
export class Operated extends Command {
	constructor(args: string[], env: Record<string, string> = {}) {
		super(args, { env, folder: folders.make() });
		running.add(this);
	}

	/** The lines with this message in its JSON log, parsed. */
	told(message: string): Array<Record<string, unknown>> {
		const lines = this.output.split('\n').filter((line) => line.startsWith('{'));
		const facts = lines.flatMap((line) => {
			try {
				return [JSON.parse(line) as Record<string, unknown>];
			} catch {
				// It is still being written.
				return [];
			}
		});
		return facts.filter(({ msg }) => msg === message);
	}

	/** Shuts it down. @returns its exit code */
	async end(): Promise<number | null> {
		this.kill('SIGTERM');
		return await this.ended;
	}
}

const running = new Set<Operated>();

/** Folders that are removed at the end of a test. */
export const folders = {
	made: [] as string[],
	make(): string {
		const folder = mkdtempSync(join(tmpdir(), 'crew-operator-'));
		this.made.push(folder);
		return folder;
	},
};

afterEach(async () => {
	for (const command of running) command.kill('SIGKILL');
	await Promise.all([...running].map(({ ended }) => ended));
	running.clear();
	for (const folder of folders.made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Starts a server on a free port, with a JSON log, and waits until it is ready. */
export async function operate(
	args: string[],
	env: Record<string, string> = {},
): Promise<{ server: Operated; client: Client; url: string }> {
	const server = new Operated(['--port', '0', '--token', TOKEN, '--log', 'json', ...args], env);
	const url = await server.said(/"url":"([^"]+)"/);
	return { server, client: new Client({ url, accessToken: TOKEN }), url };
}

/**
 * The environment of a server whose clock is this many milliseconds ahead, which collects garbage all the time, or
 * which writes into a file for how many milliseconds at a stretch it has kept the processor busy.
 */
export function withPreload({
	shift = 0,
	collectsGarbage = false,
	pieces = '',
}): Record<string, string> {
	return {
		NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, 'preload.cjs'))}`,
		CLOCK_SHIFT: String(shift),
		...(collectsGarbage ? { COLLECTS_GARBAGE: '1' } : {}),
		...(pieces === '' ? {} : { PIECES_FILE: pieces }),
	};
}

/** The file of a crew with equal tasks and no inputs. @param task lines of YAML */
export function crewFile(task: string, { tasks = 1 } = {}): string {
	const file = join(folders.make(), 'crew.yaml');
	const lines = ['description: D', 'expected_output: E', 'agent: A', 'output: Done', task];
	const each = Array.from(
		{ length: tasks },
		(_, index) => `  - name: work${index}\n    ${lines.join('\n    ')}\n`,
	);
	writeFileSync(file, `name: mine\ntasks:\n${each.join('')}`);
	return file;
}

/** The most megabytes of memory that a process has used. */
export const mostMemory = (pid = 0): number =>
	Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** A project for a fake host, in a folder that is removed at the end of the test. */
export class FakeProject extends ProjectFolder {
	constructor(...behavior: string[]) {
		super(folders.make(), ...behavior);
	}
}
