import { setTimeout as sleep } from 'node:timers/promises';
import fastGlob from 'fast-glob';
import { Client } from 'pg';

import { LEASE_TIME } from '../../../crew-server/src/store/store';
import { until } from '../support/until';
import type { Fleet } from './fleet';

/** Milliseconds beyond a lease. */
const BEYOND = 2_000;
/** Milliseconds within which the database has to start again. */
const LONGEST_START = 60_000;

/** Stops processes for longer than a lease; ignores those that have ended. */
export async function stop(pids: ReadonlyArray<number | undefined>): Promise<void> {
	const send = (signal: NodeJS.Signals) => {
		for (const pid of pids) {
			if (pid === undefined) continue;
			try {
				process.kill(pid, signal);
			} catch {
				continue;
			}
		}
	};
	send('SIGSTOP');
	await sleep(LEASE_TIME + BEYOND);
	send('SIGCONT');
}

/** Starts the database again, or something that needs it; repeats that, since its disk may still be full. */
export const started = (start: () => Promise<void>) =>
	until(
		() =>
			start().then(
				() => true,
				() => sleep(500, false),
			),
		LONGEST_START,
	).then(() => undefined);

/** Variables for a process with a clock that a file sets. */
export function clock(file: string): Record<string, string> {
	return {
		LD_PRELOAD: clockLibrary() ?? '',
		FAKETIME_TIMESTAMP_FILE: file,
		FAKETIME_CACHE_DURATION: '1',
		// Setting a machine’s clock does not affect its monotonic clock.
		FAKETIME_DONT_FAKE_MONOTONIC: '1',
		DONT_FAKE_MONOTONIC: '1',
	};
}

/** The processes of PostgreSQL that serve servers. */
export async function backends(fleet: Fleet): Promise<number[]> {
	const rows = await fleet.ask<{ pid: number }>(
		`SELECT pid FROM pg_stat_activity WHERE application_name = 'crew-server'`,
	);
	return (rows ?? []).map(({ pid }) => pid);
}

/** Takes all connections, and ends those of others. */
export async function exhaust({ databaseUrl }: Fleet): Promise<Client[]> {
	const taken: Client[] = [];
	const take = async () => {
		const client = new Client({ connectionString: databaseUrl });
		client.on('error', () => undefined);
		await client.connect();
		taken.push(client);
	};
	// The database may be away, or starting.
	await started(take);
	const end = () =>
		taken[0]
			?.query(
				`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crew-server'`,
			)
			.catch(() => undefined);
	const takeAll = async () => {
		for (;;) await take();
	};
	await takeAll().catch(end);
	await takeAll().catch(end);
	return taken;
}

/** The library of Debian’s package libfaketime, which changes a process's clock. */
export function clockLibrary(): string | undefined {
	return fastGlob.sync('/usr/lib/*/faketime/libfaketime.so.1')[0];
}
