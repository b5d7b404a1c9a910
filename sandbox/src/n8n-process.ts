import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { N8nInstall } from './n8n-install';
import { waitFor } from './wait-for';

/** n8n's three kinds of process: without queue mode, there is only the first. */
export type N8nRole = 'start' | 'worker' | 'webhook';

export interface N8nProcessOptions {
	install: N8nInstall;
	/** n8n's own data folder. n8n writes nowhere else. */
	home: string;
	port: number;
	/** The port at which n8n gives work to its task runner. */
	brokerPort: number;
	role?: N8nRole;
	/** Options for n8n's Node. */
	nodeOptions?: string[];
	/** Settings of n8n in addition to the sandbox's own, or instead of them. */
	env?: Record<string, string>;
}

const READY_WITHIN = 300_000;
const STOPPED_WITHIN = 20_000;
const LINES_TO_SHOW = 30;

/** One n8n process with everything that it starts. It can be killed and started again with the same data. */
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
			// A separate process group, which can be ended as a whole and does not get the terminal's Ctrl-C.
			detached: true,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		this.endWithThisProcess(this.child);
		this.keepLog(this.child);
		await this.waitUntilReady();
	}

	/** Process id of n8n itself, while it is running. */
	get pid(): number | undefined {
		return this.isRunning() ? this.child?.pid : undefined;
	}

	isRunning(): boolean {
		const { child } = this;
		return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
	}

	/** How n8n has ended by itself; `undefined` while it is running. */
	get ending(): string | undefined {
		const { child } = this;
		if (!child || this.isRunning()) return undefined;
		return child.signalCode ?? `exit code ${child.exitCode}`;
	}

	/** Lets n8n shut down, and kills it if that takes too long. */
	async stop(): Promise<void> {
		if (this.isRunning()) {
			this.child?.kill('SIGTERM');
			await this.waitUntilGone().catch(() => undefined);
		}
		await this.kill();
	}

	/** `kill -9` for n8n and everything it started, as in a crash or a power cut. */
	async kill(): Promise<void> {
		if (this.child !== undefined) signalGroup(this.child, 'SIGKILL');
		await this.waitUntilGone();
		// Its process id may soon belong to another process.
		this.child = undefined;
		await this.waitUntilLogged();
		if (this.shortcut !== undefined) await rm(this.shortcut, { recursive: true, force: true });
	}

	/** The end of n8n's log, for an error message. */
	lastLines(): string {
		return this.lines.slice(-LINES_TO_SHOW).join('\n');
	}

	/**
	 * It is in the home, like everything n8n writes. n8n gets a short link to it, since paths of sockets have to be
	 * short.
	 */
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
			// A worker's only port, which it opens only with this setting.
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			...QUIET_SETTINGS,
		};
	}

	/** Kills n8n if this process ends without having called {@link stop}. */
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
		// n8n may end before its standard input is closed.
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

	/** n8n's last lines may still arrive after it has ended. */
	private async waitUntilLogged(): Promise<void> {
		const { log } = this;
		if (log === undefined || log.closed) return;
		// A detached process that n8n has started may keep the pipes open.
		const signal = AbortSignal.timeout(STOPPED_WITHIN);
		await once(log, 'close', { signal }).catch(() => undefined);
	}
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, signal);
	} catch (error) {
		// No process of the group is left.
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Keeps the environment from affecting the sandbox's n8n: settings of the user's own n8n, npm, proxies. */
const KEPT_FROM_N8N =
	/^((N8N|DB|EXECUTIONS|QUEUE|WEBHOOK|NODE|JEST|TSX|npm)_.*|(http|https|all|no)_proxy)$/i;

function inheritedEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !KEPT_FROM_N8N.test(name)),
	);
}

/** Keeps n8n quiet and quick: no calls home, no questions to the user, and patience with a busy machine's database. */
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
