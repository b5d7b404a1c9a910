import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxFolder } from './paths';

const TEMPORARY_HOME = /^run-(\d+)-/;

/** Makes an empty home for one run. What runs left behind that were killed outright is removed on the way. */
export async function makeTemporaryHome(): Promise<string> {
	await mkdir(sandboxFolder, { recursive: true });
	for (const name of await readdir(sandboxFolder)) {
		const owner = TEMPORARY_HOME.exec(name)?.[1];
		if (owner !== undefined && !isAlive(Number(owner))) {
			await rm(join(sandboxFolder, name), { recursive: true, force: true });
		}
	}
	return mkdtemp(join(sandboxFolder, `run-${process.pid}-`));
}

/**
 * Makes sure that no two sandboxes write into one home, since n8n's SQLite file is for one process.
 *
 * @returns gives the home free again
 */
export async function claimHome(home: string): Promise<() => void> {
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

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
