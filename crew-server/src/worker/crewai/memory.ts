import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';

/** Whether this system reports the memory of processes, as Linux does. */
export const tellsMemory = existsSync('/proc/self/smaps_rollup');

/** Bytes of memory that only a process and everything it has started use, without what they share with others. */
export async function memoryOf(pid: number): Promise<number> {
	try {
		// What /proc/pid/status tells counts all that a child shares with its host.
		const sums = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
		const kilobytes = /^Private_Dirty:\s+(\d+)/m.exec(sums)?.[1] ?? 0;
		const children = await Promise.all((await childrenOf(pid)).map(memoryOf));
		return children.reduce((sum, bytes) => sum + bytes, Number(kilobytes) * 1024);
	} catch {
		// It has ended meanwhile.
		return 0;
	}
}

async function childrenOf(pid: number): Promise<number[]> {
	const tasks = await readdir(`/proc/${pid}/task`);
	const lists = tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8'));
	return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
