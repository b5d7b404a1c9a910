import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installIntoHome, type PackedPackage } from './packed-package';
import { makeScratchFolder, remove } from './scratch-folder';
import type { Teardown } from './teardown';

/**
 * Gives an n8n a home with the package installed.
 *
 * @param keptHome a home to use again, and to keep; without it a new one that `teardown` removes
 */
export async function prepareHome(
	packed: PackedPackage,
	teardown: Teardown,
	keptHome?: string,
): Promise<string> {
	const home = keptHome ?? (await makeScratchFolder('home'));
	if (keptHome === undefined) teardown.add(() => remove(home));
	teardown.add(await claimHome(home));
	await installIntoHome(packed, home);
	return home;
}

/**
 * Makes sure that no two sandboxes use the same home, since n8n's SQLite file is for one process.
 *
 * @returns releases the home
 */
async function claimHome(home: string): Promise<() => void> {
	await mkdir(home, { recursive: true });
	const claim = join(home, 'sandbox.pid');
	const owner = readClaim(claim);
	if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
		throw new Error(
			`${home} is in use by another sandbox, process ${owner}: end that one first, ` +
				`or remove ${claim} if it is something else`,
		);
	}
	writeFileSync(claim, String(process.pid));
	const release = () => {
		rmSync(claim, { force: true });
		process.off('exit', release);
	};
	process.on('exit', release);
	return release;
}

function readClaim(claim: string): number | undefined {
	try {
		return Number(readFileSync(claim, 'utf8'));
	} catch {
		return undefined;
	}
}

/** Whether a process with this id is running on this machine. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
