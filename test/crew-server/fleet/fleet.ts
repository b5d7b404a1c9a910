import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

import { startPostgres, type Postgres } from '../../../sandbox/src/postgres';
import { TcpProxy } from '../store/support/tcpProxy';
import { bundled } from '../support/bundled';
import { Command } from '../support/command';
import { until } from '../support/until';
import type { History } from './history';

const TOKEN = 'fleet-token';
const DEPLOYMENT = 'fleet';

/** The program of a fleet's servers. */
export const OBSERVED = join(__dirname, 'observed.ts');
/** What a server prints once it is ready. */
const STARTED = /"url":"([^"]+)"/;
/** Milliseconds for which a start is retried while the database is away. */
const LONGEST_START = 180_000;

/** A server of the fleet, in its own process, with a proxy between it and the database. */
export interface Server {
	url: string;
	accessToken: string;
	command: Command;
	proxy: TcpProxy;
}

/** The work of a fleet's servers. */
export interface FleetWork {
	/** The path of the crew or project. */
	crew: string;
	/** Further options of the command. */
	options: string[];
	/** Further environment variables. */
	env?: Record<string, string>;
	/** How many executions run at once at all servers. */
	fleetParallel: number;
}

/** Several servers on one PostgreSQL. */
export class Fleet {
	readonly servers: Server[] = [];
	/** All servers that were ever started. */
	private readonly launched: Array<Pick<Server, 'command' | 'proxy'>> = [];
	private client: Client | undefined;

	private constructor(
		public postgres: Postgres,
		readonly work: FleetWork,
		private readonly history: History,
		readonly folder: string,
		/** The folder of the database, on a separate disk; `undefined` if no such disk can be made. */
		readonly disk: string | undefined,
		/** The program of servers that are started from now on. */
		public program: string,
	) {}

	static async open(
		work: FleetWork,
		history: History,
		program = bundled(OBSERVED),
	): Promise<Fleet> {
		const folder = mkdtempSync(join(tmpdir(), 'crew-fleet-'));
		// The database may run as another user.
		chmodSync(folder, 0o755);
		const disk = smallDisk(join(folder, 'disk'));
		try {
			const postgres = await startPostgres({ isDurable: true, parent: disk });
			return new Fleet(postgres, work, history, folder, disk, program);
		} catch (error) {
			removeAll(folder, disk);
			throw error;
		}
	}

	get databaseUrl(): string {
		return `postgres://postgres@127.0.0.1:${this.postgres.port}/postgres`;
	}

	/** Starts another server. @param env further variables */
	async add(env: Record<string, string> = {}): Promise<Server> {
		const server = await this.start(env);
		this.servers.push(server);
		return server;
	}

	/** Starts a server that is not among {@link servers}, and retries like a service manager until it is ready. */
	async start(env: Record<string, string> = {}, deployment = DEPLOYMENT): Promise<Server> {
		return await until(async () => {
			const { command, proxy } = await this.launch(env, deployment);
			const url = await command.said(STARTED, LONGEST_START).catch(() => undefined);
			if (url !== undefined) return { url, accessToken: TOKEN, command, proxy };
			command.kill('SIGKILL');
			await sleep(200);
			return undefined;
		}, LONGEST_START);
	}

	/** Starts a server's process, without waiting until it is ready. */
	async launch(
		env: Record<string, string> = {},
		deployment = DEPLOYMENT,
	): Promise<Pick<Server, 'command' | 'proxy'>> {
		const proxy = new TcpProxy(this.postgres.port);
		const port = await proxy.listen();
		const args = [
			...[this.work.crew, '--port', '0', '--no-data', '--token', TOKEN, '--log', 'json'],
			...['--deployment', deployment, '--drain', '1', ...this.work.options],
			...['--fleet-parallel', String(this.work.fleetParallel)],
		];
		const database = `postgres://postgres@127.0.0.1:${port}/postgres`;
		const variables = { CREW_SERVER_DATABASE: database, FLEET_HISTORY: this.history.file };
		const command = new Command(args, {
			program: [process.execPath, this.program],
			env: { ...variables, ...this.work.env, ...env },
		});
		this.launched.push({ command, proxy });
		return { command, proxy };
	}

	/** Ends a server for good. @returns its exit code */
	async end(server: Server, signal: NodeJS.Signals): Promise<number | null> {
		const index = this.servers.indexOf(server);
		if (index >= 0) this.servers.splice(index, 1);
		server.command.kill(signal);
		return await server.command.ended;
	}

	/** The output of all servers. */
	get output(): string {
		return this.launched.map(({ command }) => command.output).join('');
	}

	/** Starts servers until there are this many. */
	async fill(count: number): Promise<void> {
		while (this.servers.length < count) await this.add();
	}

	/** Queries the database; `undefined` while it is away. */
	async ask<Row extends object>(text: string, values?: unknown[]): Promise<Row[] | undefined> {
		try {
			this.client ??= await this.connect();
			return (await this.client.query<Row>(text, values)).rows;
		} catch {
			await this.client?.end().catch(() => undefined);
			this.client = undefined;
			return undefined;
		}
	}

	private async connect(): Promise<Client> {
		const client = new Client({
			connectionString: this.databaseUrl,
			options: `-c search_path=crew_${DEPLOYMENT}`,
			query_timeout: 5_000,
		});
		client.on('error', () => undefined);
		await client.connect();
		return client;
	}

	async close(): Promise<void> {
		for (const { command, proxy } of this.launched) {
			command.kill('SIGKILL');
			await command.ended;
			await proxy.close();
		}
		await this.client?.end().catch(() => undefined);
		await this.postgres.stop();
		removeAll(this.folder, this.disk);
	}
}

function removeAll(folder: string, disk: string | undefined): void {
	if (disk !== undefined) execFileSync('umount', [disk]);
	rmSync(folder, { recursive: true });
}

/** Megabytes: the size of an empty database, and some room. */
const DISK = 200;

/** A disk in memory that can be filled; `undefined` if the system does not let this process make one. */
function smallDisk(folder: string): string | undefined {
	if (!existsSync('/proc/self/mounts') || process.getuid?.() !== 0) return undefined;
	mkdirSync(folder);
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}m`, 'tmpfs', folder]);
		return folder;
	} catch {
		return undefined;
	}
}
