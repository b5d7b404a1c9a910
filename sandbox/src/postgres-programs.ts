import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import execa from 'execa';
import fastGlob from 'fast-glob';
import { ensureCached, installWithNpm } from './cached-install';
import { repositoryFolder } from './paths';

/** Debian has the server's programs in a folder for each version, not in PATH. */
const DEBIAN_PROGRAMS = '/usr/lib/postgresql/*/bin';

/** Whether Debian's PostgreSQL is installed. */
export async function hasPostgres(): Promise<boolean> {
	return (await fastGlob(`${DEBIAN_PROGRAMS}/initdb`)).length > 0;
}

/** The programs of one version of PostgreSQL. */
export interface PostgresPrograms {
	/** A PATH with these programs. */
	path: string;
	remove: () => Promise<void>;
}

/** Those of the version that `CREW_POSTGRES` names, such as 14, or else Debian's newest. */
export async function postgresPrograms(): Promise<PostgresPrograms> {
	const debian = await fastGlob(DEBIAN_PROGRAMS, { onlyDirectories: true });
	const all = [...debian.sort().reverse(), process.env['PATH']];
	const version = process.env['CREW_POSTGRES'] ?? '';
	if (version === '') return { path: all.join(delimiter), remove: () => Promise.resolve() };
	const installed = join(await installedVersions(), `postgres-${version}`, 'native');
	// The server's user may have no access to the cache folder of the user who installed them.
	const folder = await mkdtemp(join(tmpdir(), 'postgres-programs-'));
	await cp(installed, folder, { recursive: true, verbatimSymlinks: true });
	await chmod(folder, 0o755);
	return {
		path: [join(folder, 'bin'), ...all].join(delimiter),
		remove: () => rm(folder, { recursive: true }),
	};
}

/** @returns the folder with the packages of `sandbox/postgres/package.json` */
async function installedVersions(): Promise<string> {
	const folder = await ensureCached({
		name: 'postgres-versions',
		manifest: join(repositoryFolder, 'sandbox', 'postgres'),
		install: async (unfinished) => {
			await installWithNpm(unfinished);
			const packages = join(unfinished, 'node_modules', 'postgres-*');
			for (const cwd of await fastGlob(packages, { onlyDirectories: true })) {
				// npm's packages have no symbolic links, so this makes them.
				await execa('node', [join('scripts', 'hydrate-symlinks.js')], { cwd });
			}
		},
	});
	return join(folder, 'node_modules');
}
