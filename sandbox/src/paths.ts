import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The clone. */
export const repositoryFolder = resolve(__dirname, '..', '..');

/** What the sandbox writes into the clone: n8n homes, logs, packed tarballs. Ignored by git. */
export const sandboxFolder = join(repositoryFolder, '.sandbox');

/** Shared by all clones of this user, since an installed n8n takes 2 GB: `$XDG_CACHE_HOME` or `~/.cache`. */
export function cacheFolder(): string {
	const caches = process.env['XDG_CACHE_HOME'] ?? '';
	return join(caches === '' ? join(homedir(), '.cache') : caches, 'n8n-nodes-crew');
}
