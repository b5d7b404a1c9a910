import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxFolder } from './paths';

/** `<purpose>-<process id>-<six characters>` */
const SCRATCH = /^[a-z]+-(\d+)-\w{6}$/;

/**
 * Makes an empty folder in `.sandbox/` for this process, whose maker removes it. What processes left behind that were
 * killed outright is removed on the way.
 *
 * @param purpose a word for people who look into `.sandbox/`
 */
export async function makeScratchFolder(purpose: string): Promise<string> {
	await mkdir(sandboxFolder, { recursive: true });
	for (const name of await readdir(sandboxFolder)) {
		const owner = SCRATCH.exec(name)?.[1];
		if (owner !== undefined && !isAlive(Number(owner))) await remove(join(sandboxFolder, name));
	}
	return mkdtemp(join(sandboxFolder, `${purpose}-${process.pid}-`));
}

/** Removes a folder, also one whose n8n was just killed and may have been writing. */
export async function remove(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Whether there is a process of this id on this machine. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
