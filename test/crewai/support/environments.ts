import { join } from 'node:path';
import execa from 'execa';

import { ensureCached } from '../../../sandbox/src/cached-install';

/** Environments with CrewAI, by the names of their lockfiles. */
export const CREWAI_VERSIONS = ['newest', 'oldest'] as const;
export type CrewaiVersion = (typeof CREWAI_VERSIONS)[number];

/** Pythons that CrewAI runs on. */
const PYTHONS = ['3.11', '3.12', '3.13', '3.10'] as const;

export const NO_PYTHON =
	'There is no Python from 3.10 to 3.13 here: install one, such as python3.11.';

const lockfiles = join(__dirname, '..', 'environments');

/** A Python of this machine. */
export interface Interpreter {
	/** Such as `3.11`. */
	version: string;
	path: string;
}

/** The Pythons of this machine that CrewAI runs on; a sample is tested with the first one. */
export async function findInterpreters(): Promise<Interpreter[]> {
	const found = new Map<string, string>();
	for (const command of ['python3', ...PYTHONS.map((version) => `python${version}`)]) {
		const tell = 'import sys; print("%d.%d" % sys.version_info[:2], sys.executable)';
		// Some commands only say that they are not set up.
		const { stdout, failed } = await execa(command, ['-c', tell], { reject: false });
		const [version = '', path = ''] = failed ? [] : stdout.trim().split(' ');
		if (version !== '' && !found.has(version)) found.set(version, path);
	}
	return PYTHONS.flatMap((version) => {
		const path = found.get(version);
		return path === undefined ? [] : [{ version, path }];
	});
}

/** ruff, mypy, pytest and uv. @returns their Python */
export async function ensureTools({ version, path }: Interpreter): Promise<string> {
	const folder = await ensureCached({
		name: `python-tools-${version}`,
		manifest: lockfiles,
		files: ['tools.lock'],
		onMissing: (missing) => {
			console.log(`Installing uv, ruff, mypy and pytest into ${missing} ...`);
		},
		install: async (unfinished) => {
			await execa(path, ['-m', 'venv', join(unfinished, 'venv')]);
			const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
			await execa(pythonOf(unfinished), [...pip, '-r', join(unfinished, 'tools.lock')], {
				stdio: 'inherit',
			});
		},
	});
	return pythonOf(folder);
}

/** An environment with CrewAI, 800 MB. @returns its Python */
export async function ensureCrewai(
	name: CrewaiVersion,
	interpreter: Interpreter,
	tools: string,
): Promise<string> {
	return await ensureEnvironment(`crewai-${name}`, `${name}.lock`, interpreter, tools);
}

/** An environment with other people's clients of the API, and Schemathesis. @returns its Python */
export async function ensureClients(interpreter: Interpreter, tools: string): Promise<string> {
	return await ensureEnvironment('crew-clients', 'clients.lock', interpreter, tools);
}

/** The tracers of CrewAI, in a separate folder from CrewAI's own packages. @returns that folder */
export async function ensureTracing(
	{ version, path }: Interpreter,
	tools: string,
): Promise<string> {
	const folder = await ensureCached({
		name: `crew-tracing-python-${version}`,
		manifest: lockfiles,
		files: ['tracing.lock'],
		onMissing: (missing) => {
			console.log(`Installing what traces CrewAI into ${missing} ...`);
		},
		install: async (unfinished) => {
			const options = ['--quiet', '--no-deps', '--python', path, '--target'];
			const target = [join(unfinished, 'packages'), '-r', join(unfinished, 'tracing.lock')];
			await execa(tools, ['-m', 'uv', 'pip', 'install', ...options, ...target], {
				stdio: 'inherit',
			});
		},
	});
	return join(folder, 'packages');
}

async function ensureEnvironment(
	name: string,
	lockfile: string,
	{ version, path }: Interpreter,
	tools: string,
): Promise<string> {
	const folder = await ensureCached({
		name: `${name}-python-${version}`,
		manifest: lockfiles,
		files: [lockfile],
		onMissing: (missing) => {
			console.log(`Installing ${name} for Python ${version} into ${missing} ...`);
		},
		install: async (unfinished) => {
			const uv = async (...args: string[]) => {
				await execa(tools, ['-m', 'uv', '--quiet', ...args], { stdio: 'inherit' });
			};
			await uv('venv', '--python', path, join(unfinished, 'venv'));
			await uv(
				'pip',
				'install',
				'--python',
				pythonOf(unfinished),
				'-r',
				join(unfinished, lockfile),
			);
		},
	});
	return pythonOf(folder);
}

/** An environment's Python. Its folder may have been renamed, so none of its other commands is used. */
function pythonOf(folder: string): string {
	return join(folder, 'venv', 'bin', 'python');
}
