import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxFolder } from './paths';

/**
 * Makes an empty folder in `.sandbox/` for this process, whose maker removes it. If that one is killed outright, the
 * next start of any command does: see `bootstrap.mjs`.
 *
 * @param purpose a word for people who look into `.sandbox/`
 */
export async function makeScratchFolder(purpose: string): Promise<string> {
	await mkdir(sandboxFolder, { recursive: true });
	return mkdtemp(join(sandboxFolder, `${purpose}-${process.pid}-`));
}

/** Removes a folder, also one whose n8n was just killed and may have been writing. */
export async function remove(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
