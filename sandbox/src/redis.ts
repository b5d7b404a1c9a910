import { findFreePort } from './ports';
import { startService, type Service } from './service';

/** Starts a new Redis on a free loopback port. It keeps nothing on disk. Needs Debian's `redis-server`. */
export async function startRedis(): Promise<Service> {
	const port = await findFreePort();
	return startService({
		name: 'Redis',
		command: [
			'redis-server',
			...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
		],
		readyLine: /Ready to accept connections/,
		endSignal: 'SIGTERM',
		port,
	});
}
