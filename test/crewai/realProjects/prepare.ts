import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';

/** A project that others published: the commit, and its folder in the repository. */
export interface RealProject {
	repository: string;
	commit: string;
	folder: string;
}

/** A project and its environment, or why it has none. */
export interface PreparedProject {
	project: RealProject;
	name: string;
	source: string;
	python: string;
	/** What had to be done to install it. */
	note: string;
	/** Why it could not be installed; empty if it was. */
	refusal: string;
}

/** Minutes that an installation may take. */
const PATIENCE = 3;
/** The newest CrewAI, with the libraries of the models that projects name. */
const EXTRAS = 'tools,litellm,anthropic,google-genai';

/** The list of projects, which was fixed before any was tried. */
export const REAL_PROJECTS = JSON.parse(
	readFileSync(join(__dirname, 'list.json'), 'utf8'),
) as RealProject[];

export function nameOf({ repository, folder }: RealProject): string {
	return folder === '.' ? repository : `${repository}/${folder}`;
}

/**
 * Copies a project's files and installs the packages that it names, but the newest CrewAI.
 *
 * @param folder has the clones in `repositories/<owner>+<name>`, and gets the rest
 * @param version the version of CrewAI
 * @param uv the Python that has uv
 */
export async function prepare(
	project: RealProject,
	folder: string,
	version: string,
	uv: string,
): Promise<PreparedProject> {
	const name = nameOf(project);
	const slug = name.replaceAll('/', '+');
	const home = join(folder, 'prepared', slug);
	const source = join(home, 'source');
	const prepared = { project, name, source, python: join(home, 'venv', 'bin', 'python') };
	const record = join(home, 'record.json');
	if (existsSync(record)) {
		const kept = readRecord(await readFile(record, 'utf8'));
		return { ...prepared, ...(await followAdvice(home, kept, record, uv)) };
	}
	rmSync(home, { recursive: true, force: true });
	await mkdir(source, { recursive: true });
	await layOut(project, folder, source);
	const outcome = await install(home, source, version, uv);
	await writeFile(record, JSON.stringify(outcome));
	return { ...prepared, ...outcome };
}

/** A file in a prepared project that lists the packages that the server has asked for. */
export const ADVISED = 'advised.txt';

/** Adds the packages that the server has asked for, one at a time. */
async function followAdvice(
	home: string,
	kept: Pick<PreparedProject, 'note' | 'refusal'>,
	record: string,
	uv: string,
): Promise<Pick<PreparedProject, 'note' | 'refusal'>> {
	const advised = join(home, ADVISED);
	if (!existsSync(advised)) return kept;
	const name = (await readFile(advised, 'utf8')).trim();
	const target = ['--python', join(home, 'venv', 'bin', 'python')];
	const { exitCode } = await execa(uv, ['-m', 'uv', '--quiet', 'pip', 'install', ...target, name], {
		reject: false,
		timeout: PATIENCE * 60_000,
	});
	rmSync(advised);
	if (exitCode !== 0) return kept;
	const followed = { ...kept, note: [kept.note, `uv add ${name}`].filter(Boolean).join(', ') };
	await writeFile(record, JSON.stringify(followed));
	return followed;
}

function readRecord(text: string): Pick<PreparedProject, 'note' | 'refusal'> {
	return JSON.parse(text) as Pick<PreparedProject, 'note' | 'refusal'>;
}

async function layOut(project: RealProject, folder: string, source: string): Promise<void> {
	const { repository, commit } = project;
	const clone = join(folder, 'repositories', repository.replace('/', '+'));
	if (!existsSync(clone)) {
		throw new Error(`Clone it first: git clone https://github.com/${repository} ${clone}`);
	}
	const tree = project.folder === '.' ? commit : `${commit}:${project.folder}`;
	const archive = join(source, '..', 'source.tar');
	await execa('git', ['-C', clone, 'archive', '--output', archive, tree]);
	await execa('tar', ['-xf', archive, '-C', source]);
	rmSync(archive);
}

/** Installs the packages that a project names. If its pins rule out the newest CrewAI, it tries again without them. */
async function install(home: string, source: string, version: string, uv: string) {
	const overrides = join(home, 'overrides.txt');
	const crewai = `crewai[${EXTRAS}]==${version}`;
	await writeFile(overrides, `${crewai}\ncrewai-tools==${version}\n`);
	const run = async (...given: string[]) =>
		await execa(uv, ['-m', 'uv', '--quiet', ...given], {
			reject: false,
			all: true,
			timeout: PATIENCE * 60_000,
		});
	await run('venv', '--python', '3.11', join(home, 'venv'));
	const target = ['--python', join(home, 'venv', 'bin', 'python'), '--override', overrides];
	const named = ['requirements.txt', 'pyproject.toml'].filter((one) =>
		existsSync(join(source, one)),
	);
	const attempts: Array<{ note: string; files: string[] }> = [
		{ note: '', files: named.map((one) => join(source, one)) },
		{ note: 'without its pins', files: [await withoutPins(home, source, named)] },
	];
	if (named.length === 0) attempts.splice(0, 2, { note: 'names no packages', files: [] });
	let refusal = '';
	for (const { note, files } of attempts) {
		const lists = files.flatMap((one) => ['-r', one]);
		const { exitCode, timedOut, all } = await run('pip', 'install', ...target, ...lists, crewai);
		if (exitCode === 0) return { note, refusal: '' };
		if (timedOut) return { note, refusal: `takes more than ${PATIENCE} minutes to install` };
		refusal ||= (all ?? '').trim().slice(0, 1_000);
	}
	return { note: '', refusal };
}

/** Names of a project's lists of packages. */
async function withoutPins(home: string, source: string, named: string[]): Promise<string> {
	const names: string[] = [];
	for (const file of named) {
		const text = (await readFile(join(source, file), 'utf8')).replaceAll('\0', '');
		const [, list = text] =
			file === 'pyproject.toml' ? (/^dependencies\s*=\s*\[([^]*?)^\s*\]/m.exec(text) ?? []) : [];
		for (const line of list.split('\n')) {
			const [, name] =
				/^\s*["']?([A-Za-z][\w.-]*(?:\[[\w,-]+\])?)\s*(?:[=<>~!;,"'#@]|$)/.exec(line) ?? [];
			if (name !== undefined) names.push(name);
		}
	}
	const file = join(home, 'without-pins.txt');
	await writeFile(file, names.join('\n'));
	return file;
}
