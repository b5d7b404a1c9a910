import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import execa from 'execa';
import { NATIVE_PARTS, nodeFor } from './n8n-node';
import { manifestOf, versionIn } from './n8n-versions';
import { cacheFolder } from './paths';
import { reportProgress } from './progress';

/** An n8n that is ready to start. */
export interface N8nInstall {
	version: string;
	/** Where its `node_modules` is. */
	folder: string;
	/** The Node that it runs on. */
	node: string;
	/** Its command, to be run by `node`. */
	bin: string;
}

export interface InstallOptions {
	/** Folder with the `package.json` and `package-lock.json` to install; the newest n8n by default. */
	manifest?: string;
	log?: (line: string) => void;
}

const COMPLETE_MARK = '.complete';
const A_DAY = 24 * 60 * 60 * 1000;

/**
 * Installs n8n into the user's cache folder unless it is there, about 5 minutes and 2 GB.
 * It is made in a folder of its own and renamed when whole, so that neither an interrupted run nor two runs at
 * once leave half an installation where others look for one.
 */
export async function ensureN8n({
	manifest = manifestOf('newest'),
	log = console.log,
}: InstallOptions = {}): Promise<N8nInstall> {
	const version = await versionIn(manifest);
	const lockfile = await readFile(join(manifest, 'package-lock.json'));
	const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
	const folder = join(cacheFolder(), `n8n-${version}-${hash}`);
	if (!existsSync(join(folder, COMPLETE_MARK))) {
		log(`Installing n8n ${version} into ${folder} (about 5 minutes, only the first time) ...`);
		await removeLeftovers(folder);
		await installInto(folder, manifest, log);
	}
	const bin = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	return { version, folder, node: await nodeFor(folder), bin };
}

async function installInto(
	folder: string,
	manifest: string,
	log: (line: string) => void,
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
		for (const file of ['package.json', 'package-lock.json']) {
			await copyFile(join(manifest, file), join(unfinished, file));
		}
		await reportProgress('npm install', log, () => npmInstall(unfinished));
		await reportProgress(`building ${NATIVE_PARTS.join(' and ')}`, log, () =>
			buildNativeParts(unfinished),
		);
		await writeFile(join(unfinished, COMPLETE_MARK), '');
		await putInPlace(unfinished, folder);
	} finally {
		await rm(unfinished, wholly);
		process.off('exit', removeAtExit);
	}
}

/** Whoever renames first wins; the other one's work is the same and is thrown away. */
async function putInPlace(unfinished: string, folder: string): Promise<void> {
	try {
		await rename(unfinished, folder);
	} catch (error) {
		if (existsSync(join(folder, COMPLETE_MARK))) return;
		if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
		// What stands in the way was not made by this function.
		await rm(folder, { recursive: true, force: true });
		await rename(unfinished, folder);
	}
}

/** A run that was killed outright could not clean up. A younger folder may belong to a run that still works. */
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

/** `npm ci` may refuse a lockfile that lacks other platforms' optional packages; `npm install` takes it as it is. */
async function npmInstall(folder: string): Promise<void> {
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	await execa('npm', ['install', '--ignore-scripts', '--legacy-peer-deps', ...quiet], {
		cwd: folder,
		env: npmEnvironment(),
	});
}

/** Builds by name the native parts that n8n cannot do without, for the Node that will run it. */
async function buildNativeParts(folder: string): Promise<void> {
	const node = await nodeFor(folder);
	const nodeHome = dirname(dirname(node));
	const headers = existsSync(join(nodeHome, 'include', 'node'))
		? { npm_config_nodedir: nodeHome }
		: {};
	await execa('npm', ['rebuild', ...NATIVE_PARTS, '--loglevel=error'], {
		cwd: folder,
		env: {
			...npmEnvironment(),
			...headers,
			npm_config_ignore_scripts: 'false',
			PATH: [dirname(node), process.env['PATH']].join(delimiter),
		},
	});
}

/** Started by `npm start`, this process inherits npm's view of the clone, which is wrong for another folder. */
function npmEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.keys(process.env)
			.filter((name) =>
				/^npm_(config_(local_prefix|ignore_scripts)|package_|lifecycle_)/.test(name),
			)
			.map((name) => [name, undefined]),
	);
}
