import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import execa from 'execa';
import { ensureCached } from './cached-install';
import { NATIVE_PARTS, nodeFor } from './n8n-node';
import { manifestOf, versionIn } from './n8n-versions';
import { reportProgress } from './progress';

/** An n8n that is ready to start. */
export interface N8nInstall {
	version: string;
	/** The folder with its `node_modules`. */
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

/** Installs n8n into the user's cache folder unless it is there; takes about 5 minutes and 2 GB. */
export async function ensureN8n({
	manifest = manifestOf('newest'),
	log = console.log,
}: InstallOptions = {}): Promise<N8nInstall> {
	const version = await versionIn(manifest);
	const folder = await ensureCached({
		name: `n8n-${version}`,
		manifest,
		onMissing: (missing) => {
			log(`Installing n8n ${version} into ${missing} (about 5 minutes, only the first time) ...`);
		},
		install: async (unfinished) => {
			await reportProgress('npm install', log, () => npmInstall(unfinished));
			await reportProgress(`building ${NATIVE_PARTS.join(' and ')}`, log, () =>
				buildNativeParts(unfinished),
			);
		},
	});
	const bin = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	return { version, folder, node: await nodeFor(folder), bin };
}

/** `npm ci` may refuse a lockfile that lacks other platforms' optional packages; `npm install` takes it as it is. */
async function npmInstall(folder: string): Promise<void> {
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	await execa('npm', ['install', '--ignore-scripts', '--legacy-peer-deps', ...quiet], {
		cwd: folder,
		env: npmEnvironment(),
	});
}

/** Builds only the native parts that n8n needs, for the Node that will run it. */
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

/** Under `npm start`, this process inherits npm's variables about the clone, which are wrong for another folder. */
function npmEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.keys(process.env)
			.filter((name) =>
				/^npm_(config_(local_prefix|ignore_scripts)|package_|lifecycle_)/.test(name),
			)
			.map((name) => [name, undefined]),
	);
}
