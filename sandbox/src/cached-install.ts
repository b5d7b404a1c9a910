import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import execa from 'execa';
import { cacheFolder } from './paths';

const COMPLETE_MARK = '.complete';
const A_DAY = 24 * 60 * 60 * 1000;

/** An installation that all clones on a machine share. */
export interface CachedInstall {
	/** How its folder's name begins. */
	name: string;
	/** Folder with the files that say what to install. */
	manifest: string;
	/** Their names, the lockfile last (default: those of npm). */
	files?: readonly string[];
	/** Installs into a folder that has these files. */
	install: (folder: string) => Promise<void>;
	/** Called before the installation. */
	onMissing?: (folder: string) => void;
}

/**
 * Installs packages into the user's cache folder unless they are there, one folder for each lockfile. An installation
 * is made in a separate folder and renamed when it is complete, so that nobody finds half of one after an interrupted
 * run or during two runs at once.
 *
 * @returns the folder of the installation
 */
export async function ensureCached({
	name,
	manifest,
	files = ['package.json', 'package-lock.json'],
	install,
	onMissing,
}: CachedInstall): Promise<string> {
	const lockfile = await readFile(join(manifest, files.at(-1) ?? ''));
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `${name}-${hash}`);
	if (existsSync(join(folder, COMPLETE_MARK))) return folder;
	onMissing?.(folder);
	await removeLeftovers(folder);
	await installInto(folder, { manifest, files, install });
	return folder;
}

/** Installs what npm's lockfile names, without running the packages' scripts. */
export async function installWithNpm(folder: string): Promise<void> {
	await execa('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}

async function installInto(
	folder: string,
	{ manifest, files, install }: Required<Pick<CachedInstall, 'manifest' | 'files' | 'install'>>,
): Promise<void> {
	const unfinished = `${folder}.unfinished-${process.pid}`;
	// npm may still be writing while it is being ended.
	const wholly = { recursive: true, force: true, maxRetries: 10 };
	const removeAtExit = () => {
		rmSync(unfinished, wholly);
	};
	process.once('exit', removeAtExit);
	try {
		await mkdir(unfinished, { recursive: true });
		for (const file of files) {
			await copyFile(join(manifest, file), join(unfinished, file));
		}
		await install(unfinished);
		await writeFile(join(unfinished, COMPLETE_MARK), '');
		await putInPlace(unfinished, folder);
	} finally {
		await rm(unfinished, wholly);
		process.off('exit', removeAtExit);
	}
}

/** The first to rename wins; the other's result is the same and is thrown away. */
async function putInPlace(unfinished: string, folder: string): Promise<void> {
	try {
		await rename(unfinished, folder);
	} catch (error) {
		if (existsSync(join(folder, COMPLETE_MARK))) return;
		if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
		// The folder in the way was not made by this function.
		await rm(folder, { recursive: true, force: true });
		await rename(unfinished, folder);
	}
}

/** A killed run could not clean up. A newer folder may belong to a run that is still going. */
async function removeLeftovers(folder: string): Promise<void> {
	await mkdir(dirname(folder), { recursive: true });
	for (const name of await readdir(dirname(folder))) {
		if (!name.startsWith(`${basename(folder)}.unfinished-`)) continue;
		const leftover = join(dirname(folder), name);
		if (Date.now() - (await stat(leftover)).mtimeMs > A_DAY) {
			await rm(leftover, { recursive: true, force: true });
		}
	}
}
