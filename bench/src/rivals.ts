import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { cacheFolder } from '../../sandbox/src/paths';

const manifest = join(__dirname, '..', 'rivals');

/**
 * Installs the community nodes that ours is compared with into the user's cache folder, unless they are there.
 *
 * @returns the folder `node_modules` that they are in
 */
export async function ensureRivals(): Promise<string> {
	const lockfile = await readFile(join(manifest, 'package-lock.json'));
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `rivals-${hash}`);
	if (!existsSync(folder)) await install(folder);
	return join(folder, 'node_modules');
}

/** Made in a folder of its own and renamed when whole, so that nobody finds half of it. */
async function install(folder: string): Promise<void> {
	await mkdir(cacheFolder(), { recursive: true });
	const unfinished = await mkdtemp(`${folder}.unfinished-`);
	try {
		for (const file of ['package.json', 'package-lock.json']) {
			await copyFile(join(manifest, file), join(unfinished, file));
		}
		const options = ['--ignore-scripts', '--omit=peer', '--legacy-peer-deps', '--loglevel=error'];
		await execa('npm', ['ci', ...options], { cwd: unfinished });
		await rename(unfinished, folder);
	} catch (error) {
		// Another run may have been the first to finish.
		if (!existsSync(folder)) throw error;
	} finally {
		await rm(unfinished, { recursive: true, force: true });
	}
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
