import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxFolder } from './paths';

/**
 * Makes an empty folder in `.sandbox/`, which the caller removes. If this process is killed, the next start of any
 * command removes it: see `bootstrap.mjs`.
 *
 * @param purpose a word for people who look into `.sandbox/`
 */
export async function makeScratchFolder(purpose: string): Promise<string> {
	await mkdir(sandboxFolder, { recursive: true });
	return mkdtemp(join(sandboxFolder, `${purpose}-${process.pid}-`));
}

/** Removes a folder, even if an n8n that was just killed may still be writing into it. */
export async function remove(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
