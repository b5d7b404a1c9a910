import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../../crew-server/support/until';
import { PATIENCE } from './deployment';

/** The hosts of a process; of this one by default. */
export function hostsOf(pid = process.pid): number[] {
	return reapersOf(pid).flatMap(childrenOf);
}

/** The processes that outlive these hosts, which are their children. */
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
 * Processes of an execution that uses the tool `slow` or `starts` of the project workshop, once it does: its own, the
 * host, one in a session of its own that does not end when told to, and one whose parent has ended.
 */
export async function slowProcesses(folder: string): Promise<number[]> {
	const file = join(folder, 'pids.txt');
	const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
	await until(() => text().endsWith('\n'), PATIENCE);
	const pids = text().trim().split(' ').map(Number);
	rmSync(file);
	return pids;
}

/** Whether a process is there, and no zombie. */
export function isAlive(pid: number): boolean {
	return /\) [^Z]/.test(inProc(pid, 'stat'));
}

/** What the system tells of a process; nothing if it has ended. */
export function inProc(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return '';
	}
}
