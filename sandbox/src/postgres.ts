import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import execa from 'execa';
import { findFreePort } from './ports';
import { postgresPrograms } from './postgres-programs';
import { startService, type Service } from './service';

const READY = /database system is ready to accept (read-only )?connections/;

export interface Postgres extends Service {
	/** The command that prints the whole database as SQL, and its environment. */
	dump: { command: readonly [string, ...string[]]; env: NodeJS.ProcessEnv };
	/** Ends it at once, as if it had crashed, and starts it again. */
	crash(): Promise<void>;
	/**
	 * Shuts it down, and starts it again.
	 *
	 * @param pause milliseconds in between
	 */
	restart(pause: number): Promise<void>;
}

/**
 * Starts a new PostgreSQL; user and database are both named `postgres`, and no password is needed.
 *
 * @param isDurable whether committed data survives a crash
 * @param parent the folder in which to make its data folder
 * @param primary the port of a server to replicate, starting from a copy of its data
 */
export async function startPostgres({
	isDurable = false,
	parent = tmpdir(),
	primary,
}: { isDurable?: boolean; parent?: string; primary?: number } = {}): Promise<Postgres> {
	const port = await findFreePort();
	const identity = serverIdentity();
	const programs = await postgresPrograms();
	const folder = await makeDataFolder(identity, parent);
	const remove = async () => {
		await rm(folder, { recursive: true, force: true });
		await programs.remove();
	};
	try {
		const env = { PATH: programs.path };
		await makeData(folder, { identity, env, primary });
		const settings = [
			...['-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=200'],
			// n8n sends times without a zone, and means UTC.
			...['-c', 'timezone=UTC'],
			// The machine itself does not crash, so there is no need to wait for the disk.
			...['-c', 'fsync=off', '-c', `synchronous_commit=${isDurable ? 'on' : 'off'}`],
		];
		const start = () =>
			startService({
				name: 'PostgreSQL',
				command: ['postgres', '-D', folder, ...settings],
				identity,
				readyLine: READY,
				endSignal: 'SIGINT',
				port,
				env,
			});
		const restarting = restartable(await start(), start);
		const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'postgres'];
		const dump = { command: ['pg_dump', ...address] as const, env };
		return { port, dump, ...restarting, stop: (signal) => restarting.stop(signal).finally(remove) };
	} catch (error) {
		await remove();
		throw error;
	}
}

/** Makes the initial data: a copy of the primary's, if there is one. */
async function makeData(
	folder: string,
	{ identity, env, primary }: { identity: string[]; env: NodeJS.ProcessEnv; primary?: number },
): Promise<void> {
	const common = ['-D', folder, '-U', 'postgres', '--no-sync'];
	const command =
		primary === undefined
			? ['initdb', ...common, '-A', 'trust']
			: ['pg_basebackup', ...common, '-h', '127.0.0.1', '-p', String(primary), '-R', '-c', 'fast'];
	await execa('setpriv', [...identity, '--', ...command], { env });
}

/** A service that can be ended and started again, one restart at a time. */
function restartable(
	first: Service,
	start: () => Promise<Service>,
): Pick<Postgres, 'crash' | 'restart' | 'stop'> {
	let service = first;
	let last: Promise<void> = Promise.resolve();
	const startAgain = async (signal: NodeJS.Signals | undefined, pause: number) => {
		await service.stop(signal);
		await sleep(pause);
		service = await start();
	};
	const again = (signal?: NodeJS.Signals, pause = 0) =>
		(last = last.catch(() => undefined).then(() => startAgain(signal, pause)));
	return {
		crash: () => again('SIGQUIT'),
		restart: (pause) => again(undefined, pause),
		stop: (signal) => service.stop(signal),
	};
}

/** PostgreSQL refuses to run as root: instead, it runs as the user that Debian's package has made for it. */
function serverIdentity(): string[] {
	if (process.getuid?.() !== 0) return [];
	return ['--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];
}

async function makeDataFolder(identity: string[], parent: string): Promise<string> {
	const folder = await mkdtemp(join(parent, 'postgres-'));
	if (identity.length > 0) await execa('chown', ['postgres:', folder]);
	return folder;
}
