/** `npm run test:crewai`: the host's own checks, then real projects in real environments. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import execa from 'execa';

import { repositoryFolder } from '../../sandbox/src/paths';
import { tryRealProjects } from './realProjects/tryRealProjects';
import {
	CREWAI_VERSIONS,
	ensureClients,
	ensureCrewai,
	ensureTools,
	ensureTracing,
	findInterpreters,
	NO_PYTHON,
	type CrewaiVersion,
} from './support/environments';

const HELP = `Checks the crew server's Python host, and runs real CrewAI projects on the crew server, with a scripted model.

Usage: npm run test:crewai -- [${CREWAI_VERSIONS.join('] [')}] [--all] [--thorough] [--tests <part of a path>]
       npm run test:crewai -- --host
       npm run test:crewai -- [${CREWAI_VERSIONS.join('] [')}] [--all] --install-only
       npm run test:crewai -- --changes [<version>]
       npm run test:crewai -- --real-projects <folder> [--tests <pattern of names>] [--install-only]

Without a version, both are tested. With --all, each is tested with every Python from 3.10 to 3.13 in the PATH, otherwise
with one. What does not depend on CrewAI's version (refusals, processes that outlive each other, other people's clients,
the packed server) is tested once, in the first environment.
Each environment takes 800 MB and is installed once, into the cache folder (XDG_CACHE_HOME or ~/.cache); with
--install-only, nothing else happens.
The host's own checks (ruff, mypy, the import rules, pytest) run first, except with --tests; with --host, nothing else runs.
With --changes, nothing is run: it lists, within a minute, what a version of CrewAI (default: the newest) has changed in
the undocumented parts that the host uses, compared to the newest tested version.
With --real-projects, the projects of realProjects/list.json are run, each on the crew server and bare: <folder> has their
clones in repositories/<owner>+<name>, and gets an environment for each and measured.json. This is other people's code:
install first, then run it without a network, on a machine with nothing to lose.
With --thorough, every kind of project is run (by default, three stand for all), and the server, its host and its children
are killed at every single step, which takes an hour or more; --tests kinds, flows or kills runs a part of that.`;

const host = join(repositoryFolder, 'crew-server', 'python');

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			all: { type: 'boolean', default: false },
			thorough: { type: 'boolean', default: false },
			tests: { type: 'string', default: '' },
			'install-only': { type: 'boolean', default: false },
			changes: { type: 'boolean', default: false },
			host: { type: 'boolean', default: false },
			'real-projects': { type: 'string' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	if (values.changes) return await tellChanges(positionals[0]);
	if (values.thorough) process.env['CREWAI_THOROUGH'] = 'true';
	const versions = readNames(positionals);
	const interpreters = await findInterpreters();
	const [first] = interpreters;
	if (!first) {
		console.error(NO_PYTHON);
		return 1;
	}
	const tools = await ensureTools(first);
	if (values['real-projects'] !== undefined) {
		await tryRealProjects(resolve(values['real-projects']), {
			uv: tools,
			part: values.tests,
			installs: values['install-only'],
		});
		return 0;
	}
	const chosen = values.all ? interpreters : [first];
	if (values['install-only']) {
		await ensureClients(first, tools);
		for (const one of chosen) {
			await ensureTracing(one, tools);
			for (const name of versions) await ensureCrewai(name, one, tools);
		}
		return 0;
	}
	if (values.tests === '' && !(await checkHost(tools))) return 1;
	if (values.host) return 0;
	let code = 0;
	// What does not depend on the version is tested once, with the first environment.
	let once: string | undefined = await ensureClients(first, tools);
	for (const interpreter of chosen) {
		for (const version of versions) {
			const python = await ensureCrewai(version, interpreter, tools);
			const failed = await runTests(`CrewAI ${version}, Python ${interpreter.version}`, {
				part: values.tests,
				python,
				tracing: await ensureTracing(interpreter, tools),
				clients: once,
			});
			code ||= failed;
			once = undefined;
		}
	}
	return code;
}

/** @returns the exit code: 1 if something that the host uses is gone */
async function tellChanges(version: string | undefined): Promise<number> {
	const [interpreter] = await findInterpreters();
	if (!interpreter) {
		console.error(NO_PYTHON);
		return 1;
	}
	const tools = await ensureTools(interpreter);
	const script = join(__dirname, 'support', 'changed_seams.py');
	const options = version === undefined ? [] : [version];
	const { exitCode } = await execa(tools, [script, ...options], {
		stdio: 'inherit',
		reject: false,
		env: { PYTHONPATH: host, PYTHONDONTWRITEBYTECODE: '1' },
	});
	return exitCode;
}

function readNames(names: string[]): CrewaiVersion[] {
	const unknown = names.find((name) => !CREWAI_VERSIONS.some((known) => known === name));
	if (unknown !== undefined) {
		throw new Error(
			`There is no environment "${unknown}": choose from ${CREWAI_VERSIONS.join(', ')}`,
		);
	}
	return CREWAI_VERSIONS.filter((name) => names.length === 0 || names.includes(name));
}

interface TestedEnvironment {
	/** Part of the paths of the tests. */
	part: string;
	/** The Python that has CrewAI. */
	python: string;
	/** The folder of what traces CrewAI. */
	tracing: string;
	/** The Python of other people's clients, in one environment only. */
	clients: string | undefined;
}

/** @returns whether the host's code passes all of its checks */
async function checkHost(python: string): Promise<boolean> {
	const checks = [
		['-m', 'ruff', 'check', '.'],
		['-m', 'ruff', 'format', '--check', '.'],
		['-m', 'mypy', '.'],
		// It cannot be run as a module.
		['-c', 'from importlinter.cli import *; lint_imports_command()', '--no-cache'],
		['-m', 'pytest', '--quiet', '-p', 'no:cacheprovider'],
	];
	const failed: string[] = [];
	for (const check of checks) {
		console.log(`\n=== ${check.join(' ')}`);
		const env = {
			RUFF_NO_CACHE: 'true',
			MYPY_CACHE_DIR: '/dev/null',
			PYTHONPATH: host,
			PYTHONDONTWRITEBYTECODE: '1',
		};
		const { exitCode } = await execa(python, check, {
			cwd: host,
			stdio: 'inherit',
			reject: false,
			env,
		});
		if (exitCode !== 0) failed.push(check.join(' '));
	}
	if (failed.length > 0) console.error(`\nFailed: ${failed.join('; ')}`);
	return failed.length === 0;
}

async function runTests(
	name: string,
	{ part, python, tracing, clients }: TestedEnvironment,
): Promise<number> {
	console.log(`\n=== ${name}`);
	const jest = ['jest', '--config', join(__dirname, 'jest.config.js')];
	const { exitCode } = await execa('npx', [...jest, ...(part === '' ? [] : [part])], {
		cwd: repositoryFolder,
		stdio: 'inherit',
		reject: false,
		env: {
			CREWAI_PYTHON: python,
			TRACING_PACKAGES: tracing,
			CREWAI_ENVIRONMENT: name,
			...(clients === undefined ? {} : { CLIENTS_PYTHON: clients }),
		},
	});
	return exitCode;
}

main().then(
	(code) => process.exit(code),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
