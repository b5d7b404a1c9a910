import { execFileSync } from 'node:child_process';

/**
 * Keeps a process's files from growing beyond a size, like a full disk. Sets only the soft limit, which can be lifted again.
 *
 * @param size bytes
 */
export function limitFiles(pid: number | undefined, size: number | 'unlimited'): void {
	execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`]);
}
