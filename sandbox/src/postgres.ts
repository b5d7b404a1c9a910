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
	/** The command that prints all that the database holds, as SQL, and the environment that it needs. */
	dump: { command: readonly [string, ...string[]]; env: NodeJS.ProcessEnv };
	/** Ends it at once, as if it had crashed, and starts it again. */
	crash(): Promise<void>;
	/**
	 * Ends it in order, and starts it again.
	 *
	 * @param pause milliseconds in between
	 */
	restart(pause: number): Promise<void>;
}

/**
 * A PostgreSQL of its own; user and database are both named `postgres`, and no password is asked for.
 *
 * @param isDurable whether it has after a crash what it has committed before
 * @param parent the folder in which its own is made
 * @param primary the port of the one that it follows, from a copy of its data on
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
			// n8n asks for times without a zone, and means UTC.
			...['-c', 'timezone=UTC'],
			// The machine does not go down with it: no need to wait for the disk.
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

/** Makes what one starts with, as a copy of what another one has if there is a primary. */
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

/** A service that can be ended and started again, once at a time. */
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

/** PostgreSQL refuses to run as root: then it runs as the user that Debian's package makes for it. */
function serverIdentity(): string[] {
	if (process.getuid?.() !== 0) return [];
	return ['--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];
}

async function makeDataFolder(identity: string[], parent: string): Promise<string> {
	const folder = await mkdtemp(join(parent, 'postgres-'));
	if (identity.length > 0) await execa('chown', ['postgres:', folder]);
	return folder;
}
