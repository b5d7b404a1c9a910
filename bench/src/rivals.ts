import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { ensureCached } from '../../sandbox/src/cached-install';

const manifest = join(__dirname, '..', 'rivals');

/**
 * Installs the community nodes that ours is compared with into the user's cache folder, unless they are there.
 *
 * @returns the folder `node_modules` that they are in
 */
export async function ensureRivals(): Promise<string> {
	const options = ['--ignore-scripts', '--omit=peer', '--legacy-peer-deps', '--loglevel=error'];
	const folder = await ensureCached({
		name: 'rivals',
		manifest,
		install: async (unfinished) => {
			await execa('npm', ['ci', ...options], { cwd: unfinished });
		},
	});
	return join(folder, 'node_modules');
}

/** Bytes of all files in a folder, without the packages in it. */
export async function sizeOf(folder: string): Promise<number> {
	let bytes = 0;
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isFile()) bytes += (await stat(path)).size;
		else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += await sizeOf(path);
	}
	return bytes;
}
