import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { N8nInstall } from './n8n-install';
import { waitFor } from './wait-for';

/** n8n's three kinds of process: the first is all there is without queue mode. */
export type N8nRole = 'start' | 'worker' | 'webhook';

export interface N8nProcessOptions {
	install: N8nInstall;
	/** n8n's own data folder. n8n writes nowhere else. */
	home: string;
	port: number;
	/** Where n8n hands work to its task runner. */
	brokerPort: number;
	role?: N8nRole;
	/** Options for n8n's Node. */
	nodeOptions?: string[];
	/** Settings of n8n beside, or instead of, the sandbox's own. */
	env?: Record<string, string>;
}

const READY_WITHIN = 300_000;
const STOPPED_WITHIN = 20_000;
const LINES_TO_SHOW = 30;

/** One n8n process with everything that it starts; it can be killed and started again on the same data. */
export class N8nProcess {
	readonly url: string;
	readonly logFile: string;
	readonly home: string;
	/** All lines that n8n has written, restarts included. */
	readonly lines: string[] = [];
	private child: ChildProcess | undefined;
	private log: WriteStream | undefined;
	private shortcut: string | undefined;

	constructor(private readonly options: N8nProcessOptions) {
		this.url = `http://127.0.0.1:${options.port}`;
		this.home = options.home;
		this.logFile = join(options.home, `n8n-${options.role ?? 'start'}.log`);
	}

	/** Starts n8n and waits until it says that it is ready. */
	async start(): Promise<void> {
		const { install, home, role = 'start', nodeOptions = [] } = this.options;
		const temporaryFolder = await this.makeTemporaryFolder();
		const leash = join(__dirname, 'leash.cjs');
		this.child = spawn(install.node, [...nodeOptions, '--require', leash, install.bin, role], {
			cwd: home,
			env: { ...inheritedEnvironment(), ...this.settings(temporaryFolder), ...this.options.env },
			// A process group of its own: it is ended as a whole, and Ctrl-C in the terminal is ours to handle.
			detached: true,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		this.endWithThisProcess(this.child);
		this.keepLog(this.child);
		await this.waitUntilReady();
	}

	/** Process id of n8n itself, while it runs. */
	get pid(): number | undefined {
		return this.isRunning() ? this.child?.pid : undefined;
	}

	isRunning(): boolean {
		const { child } = this;
		return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
	}

	/** How n8n has ended by itself; `undefined` while it runs. */
	get ending(): string | undefined {
		const { child } = this;
		if (!child || this.isRunning()) return undefined;
		return child.signalCode ?? `exit code ${child.exitCode}`;
	}

	/** Lets n8n end in order, and ends it by force when it takes too long. */
	async stop(): Promise<void> {
		if (this.isRunning()) {
			this.child?.kill('SIGTERM');
			await this.waitUntilGone().catch(() => undefined);
		}
		await this.kill();
	}

	/** `kill -9` for n8n and all that it started: as a crash or a power cut would. */
	async kill(): Promise<void> {
		if (this.child !== undefined) signalGroup(this.child, 'SIGKILL');
		await this.waitUntilGone();
		// Its id may soon be another process's.
		this.child = undefined;
		await this.waitUntilLogged();
		if (this.shortcut !== undefined) await rm(this.shortcut, { recursive: true, force: true });
	}

	/** The end of n8n's log, for a message about what went wrong. */
	lastLines(): string {
		return this.lines.slice(-LINES_TO_SHOW).join('\n');
	}

	/** It is in the home, like all that n8n writes. n8n gets there by a shortcut, since paths of sockets have to be short. */
	private async makeTemporaryFolder(): Promise<string> {
		const folder = join(this.home, 'tmp');
		await mkdir(folder, { recursive: true });
		this.shortcut = await mkdtemp(join(tmpdir(), 'n8n-'));
		const link = join(this.shortcut, 'tmp');
		await symlink(folder, link, 'junction');
		return link;
	}

	private settings(temporaryFolder: string): Record<string, string> {
		const { home, port, brokerPort } = this.options;
		return {
			N8N_USER_FOLDER: home,
			HOME: home,
			TMPDIR: temporaryFolder,
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_HOST: '127.0.0.1',
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			// A worker has no port but this one, and only if asked for.
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			...QUIET_SETTINGS,
		};
	}

	/** The last resort when this process ends without having called {@link stop}. */
	private endWithThisProcess(child: ChildProcess): void {
		const killGroup = () => {
			signalGroup(child, 'SIGKILL');
		};
		process.once('exit', killGroup);
		child.once('exit', () => process.off('exit', killGroup));
	}

	private keepLog(child: ChildProcess): void {
		const file = createWriteStream(this.logFile, { flags: 'a' });
		this.log = file;
		for (const stream of [child.stdout, child.stderr]) {
			if (stream === null) continue;
			stream.pipe(file, { end: false });
			createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
		}
		child.once('close', () => file.end());
		child.once('error', (error) => this.lines.push(error.message));
		// n8n may be gone before its standard input is closed.
		child.stdin?.on('error', () => undefined);
	}

	private async waitUntilReady(): Promise<void> {
		const { role = 'start' } = this.options;
		// n8n 1.x says that it is ready a moment before its editor's interface is.
		const probes = ['/healthz/readiness', ...(role === 'start' ? ['/rest/settings'] : [])];
		const answersReady = async () => {
			if (!this.isRunning()) throw new Error(`n8n ended while it started:\n${this.lastLines()}`);
			try {
				const answers = await Promise.all(probes.map((path) => fetch(`${this.url}${path}`)));
				return answers.every(({ ok }) => ok);
			} catch {
				return false;
			}
		};
		try {
			await waitFor(`n8n on ${this.url} to be ready (its log: ${this.logFile})`, answersReady, {
				timeout: READY_WITHIN,
				describe: () => this.lastLines(),
			});
		} catch (error) {
			await this.kill();
			throw error;
		}
	}

	private async waitUntilGone(): Promise<void> {
		const { child } = this;
		if (child === undefined || !this.isRunning()) return;
		await once(child, 'exit', { signal: AbortSignal.timeout(STOPPED_WITHIN) });
	}

	/** n8n's last lines may still be on their way when it has gone. */
	private async waitUntilLogged(): Promise<void> {
		const { log } = this;
		if (log === undefined || log.closed) return;
		// A process that n8n has started and let go may keep the pipes open.
		const signal = AbortSignal.timeout(STOPPED_WITHIN);
		await once(log, 'close', { signal }).catch(() => undefined);
	}
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, signal);
	} catch (error) {
		// Nobody of the group is left.
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Nothing of the surroundings may steer the sandbox's n8n: no settings of the user's own n8n, no npm, no proxy. */
const KEPT_FROM_N8N =
	/^((N8N|DB|EXECUTIONS|QUEUE|WEBHOOK|NODE|JEST|TSX|npm)_.*|(http|https|all|no)_proxy)$/i;

function inheritedEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !KEPT_FROM_N8N.test(name)),
	);
}

/** Keeps n8n quiet and quick: no calls home, no questions to the user, and no giving up on a busy machine's database. */
const QUIET_SETTINGS = {
	NODE_ENV: 'production',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	// The sandbox is served without TLS.
	N8N_SECURE_COOKIE: 'false',
	DB_PING_TIMEOUT_MS: '60000',
	DB_POSTGRESDB_CONNECTION_TIMEOUT: '60000',
};
