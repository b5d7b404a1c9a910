import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findFreePort } from '../../../../sandbox/src/ports';
import { startService } from '../../../../sandbox/src/service';

const SETTINGS = (port: number, database: number, poolMode: PoolMode) => `[databases]
postgres = host=127.0.0.1 port=${database} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
`;

export type PoolMode = 'session' | 'transaction';

export interface PgBouncer {
	/** The address of the database through PgBouncer. */
	url: string;
	stop(): Promise<void>;
}

/**
 * Starts Debian's PgBouncer with its defaults.
 *
 * @param database the port of the PostgreSQL behind it
 */
export async function startPgBouncer(database: number, poolMode: PoolMode): Promise<PgBouncer> {
	const port = await findFreePort();
	const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
	const file = join(folder, 'pgbouncer.ini');
	writeFileSync(file, SETTINGS(port, database, poolMode));
	// PgBouncer refuses to run as root, and another user needs access to the file.
	chmodSync(folder, 0o755);
	const isRoot = process.getuid?.() === 0;
	const service = await startService({
		name: 'PgBouncer',
		command: ['/usr/sbin/pgbouncer', file],
		identity: isRoot ? ['--reuid', 'postgres', '--regid', 'postgres', '--init-groups'] : [],
		readyLine: /process up/,
		endSignal: 'SIGTERM',
		port,
	});
	return {
		url: `postgres://postgres@127.0.0.1:${port}/postgres`,
		stop: async () => {
			await service.stop();
			rmSync(folder, { recursive: true });
		},
	};
}
