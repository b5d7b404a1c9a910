import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

import { startPostgres, type Postgres } from '../../../sandbox/src/postgres';
import { Command } from '../support/command';

const TOKEN = 'fleet-token';

/** Milliseconds of each task. */
const TASK = 500;

const CREW = `name: fleet
description: Three tasks that take some time.
inputs:
  - name: topic
    type: string
    required: true
    description: What it is about
tasks:
${['one', 'two', 'three']
	.map(
		(name) => `  - name: ${name}
    description: Work on {topic}
    expected_output: A text
    agent: Writer
    duration: ${TASK}
    output: ${name} is done
`,
	)
	.join('')}`;

/** A server of the fleet, in a process of its own. */
export interface Server {
	url: string;
	accessToken: string;
	command: Command;
}

/** Several servers on one PostgreSQL. */
export class Fleet {
	readonly servers: Server[] = [];
	private readonly folder = mkdtempSync(join(tmpdir(), 'crew-fleet-'));

	private constructor(
		readonly postgres: Postgres,
		/** How many executions all of them work on at once. */
		readonly parallel: number,
	) {
		writeFileSync(join(this.folder, 'crew.yaml'), CREW);
	}

	static async start(servers: number, parallel: number): Promise<Fleet> {
		const fleet = new Fleet(await startPostgres({ isDurable: true }), parallel);
		await Promise.all(Array.from({ length: servers }, () => fleet.add()));
		return fleet;
	}

	/** How many executions are worked on now; `undefined` while the database is away. */
	async running(): Promise<number | undefined> {
		const client = new Client({ connectionString: this.databaseUrl });
		client.on('error', () => undefined);
		try {
			await client.connect();
			const { rows } = await client.query<{ count: string }>(
				`SELECT COUNT(*) AS count FROM crew_fleet.executions WHERE state = 'running'`,
			);
			return Number(rows[0]?.count);
		} catch {
			return undefined;
		} finally {
			await client.end().catch(() => undefined);
		}
	}

	get databaseUrl(): string {
		return `postgres://postgres@127.0.0.1:${this.postgres.port}/postgres`;
	}

	/** Starts one more server. */
	async add(): Promise<Server> {
		const command = new Command(
			[
				...[join(this.folder, 'crew.yaml'), '--port', '0', '--no-data', '--token', TOKEN],
				...['--log', 'json', '--deployment', 'fleet', '--drain', '1'],
				...['--fleet-parallel', String(this.parallel)],
			],
			{ env: { CREW_SERVER_DATABASE: this.databaseUrl } },
		);
		const url = await command.said(/"url":"([^"]+)"/);
		const server = { url, accessToken: TOKEN, command };
		this.servers.push(server);
		return server;
	}

	/** Ends a server for good. @returns its exit code */
	async end(server: Server, signal: NodeJS.Signals): Promise<number | null> {
		this.servers.splice(this.servers.indexOf(server), 1);
		server.command.kill(signal);
		return await server.command.ended;
	}

	async close(): Promise<void> {
		for (const { command } of this.servers) command.kill('SIGKILL');
		await Promise.all(this.servers.map(({ command }) => command.ended));
		await this.postgres.stop();
		rmSync(this.folder, { recursive: true });
	}
}
