import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { measure, type Measured } from './measure';
import { startPlainModel } from './model';
import { nameOf, prepare, REAL_PROJECTS } from './prepare';

/**
 * Runs each project of the list in its own environment, on the crew server and bare.
 *
 * @param folder has the clones in `repositories/<owner>+<name>`, and gets environments and `measured.json`
 * @param part a pattern for the projects' names (default: all)
 * @param installs whether to install only
 */
export async function tryRealProjects(
	folder: string,
	{ uv, part, installs }: { uv: string; part: string; installs: boolean },
): Promise<void> {
	const version = await newestVersion();
	const projects = REAL_PROJECTS.filter((one) => new RegExp(part).test(nameOf(one)));
	const model = await startPlainModel();
	for (const project of projects) {
		const prepared = await prepare(project, folder, version, uv);
		if (installs) {
			console.log(`${prepared.name}: ${prepared.refusal || prepared.note || 'installed'}`);
			continue;
		}
		const measured = await measure(prepared, model);
		console.log(lineOf(measured));
		await keep(join(folder, 'measured.json'), measured);
	}
	await model.close();
}

/** Stores what was measured, together with what earlier runs have measured of other projects. */
async function keep(file: string, measured: Measured): Promise<void> {
	const kept = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Measured[]) : [];
	const others = kept.filter(({ name }) => name !== measured.name);
	await writeFile(file, JSON.stringify([...others, measured], null, '\t'));
}

/** The newest version of CrewAI that is tested. */
async function newestVersion(): Promise<string> {
	const file = join(__dirname, '..', 'environments', 'newest.in');
	return /crewai==(\S+)/.exec(await readFile(file, 'utf8'))?.[1] ?? '';
}

function lineOf({ name, refusal, found, differences, error }: Measured): string {
	if (refusal !== '') return `${name}: does not start\n  ${refusal.replaceAll('\n', '\n  ')}`;
	const outcome = differences.length === 0 ? 'as bare' : differences.join('\n  ');
	return `${name}: ${found}\n  ${error === '' ? '' : `ends with ${error}\n  `}${outcome}`;
}
