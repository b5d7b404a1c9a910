import { join } from 'node:path';
import type { N8nProcess } from '../../sandbox/src/n8n-process';
import { waitFor } from '../../sandbox/src/wait-for';
import type { Crews } from './crews';

/** Options for n8n's Node that {@link readMemory} needs. */
export const MEMORY_OPTIONS = ['--expose-gc', '--require', join(__dirname, 'memoryReport.cjs')];

/** What is in use after a garbage collection, in megabytes. */
export interface Memory {
	/** On n8n's heap. */
	n8n: number;
	/** Of n8n's process as the system sees it, including what Node keeps for later use. */
	n8nResident: number;
	/** On the heap of the crew servers. */
	crews: number;
}

const REPORT = /^memory in use: (\d+) (\d+)$/;
const MEGABYTE = 1024 ** 2;

export async function readMemory(n8n: N8nProcess, crews: Crews): Promise<Memory> {
	const { pid } = n8n;
	if (pid === undefined) throw new Error(`n8n is not running:\n${n8n.lastLines()}`);
	const reports = () => n8n.lines.filter((line) => REPORT.test(line));
	const before = reports().length;
	process.kill(pid, 'SIGUSR2');
	const line = await waitFor('n8n to report its memory', () => reports()[before]);
	const [, heap, resident] = REPORT.exec(line) ?? [];
	return {
		n8n: Number(heap) / MEGABYTE,
		n8nResident: Number(resident) / MEGABYTE,
		crews: (await crews.memory()) / MEGABYTE,
	};
}
