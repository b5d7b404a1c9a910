import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../../crew-server/support/until';
import { PATIENCE } from './deployment';

/** The hosts of a process; of this one by default. */
export function hostsOf(pid = process.pid): number[] {
	return reapersOf(pid).flatMap(childrenOf);
}

/** The reapers of these hosts, which are the parents that outlive them. */
function reapersOf(pid = process.pid): number[] {
	const program = join('crew-server', 'python');
	return childrenOf(pid).filter((child) => inProc(child, 'cmdline').includes(program));
}

/** The children of these hosts. */
export function childrenOfHosts(pid = process.pid): number[] {
	return hostsOf(pid).flatMap(childrenOf);
}

function childrenOf(pid: number): number[] {
	return tasksOf(pid).flatMap((task) =>
		inProc(pid, `task/${task}/children`).split(' ').filter(Boolean).map(Number),
	);
}

function tasksOf(pid: number): string[] {
	try {
		return readdirSync(`/proc/${pid}/task`);
	} catch {
		return [];
	}
}

/**
 * The processes of an execution that uses the tool `slow` or `starts` of the project workshop, once it does: its own, the
 * host, one in a separate session that ignores SIGTERM, and an orphan.
 */
export async function slowProcesses(folder: string): Promise<number[]> {
	const file = join(folder, 'pids.txt');
	const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
	await until(() => text().endsWith('\n'), PATIENCE);
	const pids = text().trim().split(' ').map(Number);
	rmSync(file);
	return pids;
}

/** Whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
	return /\) [^Z]/.test(inProc(pid, 'stat'));
}

/** What the system knows about a process; empty if it has ended. */
export function inProc(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return '';
	}
}
