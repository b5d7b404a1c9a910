import { mkdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import execa from 'execa';
import { repositoryFolder } from './paths';
import { makeScratchFolder, remove } from './scratch-folder';
import type { Teardown } from './teardown';

/** What `npm publish` would send to the registry. */
export interface PackedPackage {
	name: string;
	version: string;
	tarball: string;
	/** Size of the tarball in bytes. */
	size: number;
	/** Paths inside the package, as npm lists them. */
	files: string[];
	/** Removes the tarball, unless an environment variable named it. */
	remove(): Promise<void>;
}

type NpmManifest = Pick<PackedPackage, 'name' | 'version'>;

interface NpmPackReport extends NpmManifest {
	filename: string;
	size: number;
	files: Array<{ path: string }>;
}

/**
 * The package to test: the tarball that the environment variable `CREW_TARBALL` names, as a path from the
 * repository's folder. Without the variable, a new one is built and packed.
 */
export async function packPackage(): Promise<PackedPackage> {
	const given = process.env['CREW_TARBALL'] ?? '';
	return given === '' ? pack() : readTarball(resolve(repositoryFolder, given));
}

/** The crew server's package, in the same way; `CREW_SERVER_TARBALL` names its tarball. */
export async function packCrewServer(): Promise<PackedPackage> {
	const given = process.env['CREW_SERVER_TARBALL'] ?? '';
	return given === ''
		? pack(['--workspace', 'crew-server'])
		: readTarball(resolve(repositoryFolder, given));
}

/** Reads what `npm pack` would have reported. */
async function readTarball(tarball: string): Promise<PackedPackage> {
	const tar = async (...args: string[]) => (await execa('tar', args)).stdout;
	const manifest = JSON.parse(await tar('-xzOf', tarball, 'package/package.json')) as NpmManifest;
	const list = await tar('-tzf', tarball);
	return {
		name: manifest.name,
		version: manifest.version,
		tarball,
		size: (await stat(tarball)).size,
		files: list.split('\n').map((path) => path.replace(/^package\//, '')),
		remove: () => Promise.resolve(),
	};
}

/** Builds the published packages and packs one, as a release does, into a new folder in `.sandbox/`. */
async function pack(options: string[] = []): Promise<PackedPackage> {
	await execa('npm', ['run', 'build', '--silent'], {
		cwd: repositoryFolder,
		// gulp writes the flags of this Node into the user's cache folder.
		env: { XDG_CACHE_HOME: tmpdir() },
	});
	const folder = await makeScratchFolder('packed');
	const { stdout } = await execa(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...options],
		{ cwd: repositoryFolder },
	);
	const [report] = JSON.parse(stdout) as NpmPackReport[];
	if (report === undefined) throw new Error('npm pack packed nothing');
	return {
		name: report.name,
		version: report.version,
		tarball: join(folder, report.filename),
		size: report.size,
		files: report.files.map((file) => file.path),
		remove: () => remove(folder),
	};
}

/** The given package, or one that is packed now and removed by `teardown`. */
export async function usePackage(
	given: PackedPackage | undefined,
	teardown: Teardown,
): Promise<PackedPackage> {
	if (given !== undefined) return given;
	const packed = await packPackage();
	teardown.add(() => packed.remove());
	return packed;
}

/** Unpacks the package's files into `folder`, which is emptied first. */
export async function unpack({ tarball }: PackedPackage, folder: string): Promise<void> {
	await remove(folder);
	await mkdir(folder, { recursive: true });
	await execa('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

/**
 * Puts the package among those that n8n has installed, so that its node types have the same names as for
 * people who install it in n8n's settings.
 *
 * @param home n8n's `N8N_USER_FOLDER`
 */
export async function installIntoHome(packed: PackedPackage, home: string): Promise<void> {
	const nodesFolder = join(home, '.n8n', 'nodes');
	await unpack(packed, join(nodesFolder, 'node_modules', packed.name));
	const manifest = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [packed.name]: packed.version },
	};
	await writeFile(join(nodesFolder, 'package.json'), JSON.stringify(manifest, null, '\t'));
}
