import { execFileSync } from 'node:child_process';

/**
 * Lets no file of a process grow beyond a size, as a full disk does. Only the soft limit, which can be lifted again.
 *
 * @param size bytes
 */
export function limitFiles(pid: number | undefined, size: number | 'unlimited'): void {
	execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`]);
}
