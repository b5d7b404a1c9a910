import { isFlow } from './domain/crew';
import { openLog } from './log';
import type { CrewServerOptions } from './options';
import { findWork, OUTPUT_LIMIT } from './startEngine';
import { openProject, type OpenProject } from './worker/crewai/openProject';

/** What is known about a project that would start. */
export type Checked = Pick<
	OpenProject,
	'crew' | 'python' | 'imported' | 'described' | 'buildSeconds'
>;

/**
 * Loads a project as the server would, and ends it again.
 *
 * @returns what it found, for people
 * @throws {Error} saying why it would not start, and what to do
 */
export async function check(options: CrewServerOptions): Promise<string> {
	const found = findWork(options);
	if (!('folder' in found))
		return 'This crew would only be played: it needs no Python and no model.';
	const { accessToken, userAccessToken, outputLimit = OUTPUT_LIMIT } = options;
	const withheld = [accessToken, userAccessToken].filter((one) => one !== undefined);
	const log = openLog({ secrets: withheld }, ({ msg, text, at }) => {
		if (msg === 'still_importing') console.error(`It is still being imported: ${String(at)}`);
		else console.error([msg, text].join(': '));
	});
	const project = await openProject({
		...options.project,
		folder: found.folder,
		withheld,
		outputLimit,
		log,
	});
	try {
		return pageOf(project);
	} finally {
		await project.close();
	}
}

/** What was found in a project, as a page of text. */
export function pageOf(checked: Checked): string {
	const { crew, python, imported, described } = checked;
	const warnings = [
		...(crew.warnings ?? []),
		...(described.unset.length === 0
			? []
			: [`These variables are not set: ${described.unset.join(', ')}.`]),
	];
	return [
		`The ${crew.kind ?? 'crew'} "${crew.name}" would start.`,
		'',
		fact('Found in', imported.place),
		fact('CrewAI', `${imported.crewai}, Python ${imported.python} (${python})`),
		...list('Inputs', described.inputs.map(inputLine)),
		...list(isFlow(crew) ? 'Methods' : 'Tasks', table(described.tasks.map(taskCells))),
		...list(
			'Agents',
			isFlow(crew)
				? ['known when the methods create them']
				: table(described.agents.map(({ role, model }) => [role, model ?? 'its own model object'])),
		),
		...list('Start', startLines(checked)),
		...list('If it is cut off', interruptionLines(checked)),
		'',
		...warnings.map((warning) => `Warning: ${warning}`),
	]
		.join('\n')
		.trimEnd();
}

const WIDTH = 18;

function fact(name: string, text: string): string {
	return `  ${name.padEnd(WIDTH)} ${text}`;
}

function list(name: string, lines: string[]): string[] {
	const [first = 'none', ...others] = lines;
	return [fact(name, first), ...others.map((line) => fact('', line))];
}

/** Rows with aligned columns. */
function table(rows: string[][]): string[] {
	const widths = rows.reduce<number[]>(
		(most, row) => row.map((cell, index) => Math.max(cell.length, most[index] ?? 0)),
		[],
	);
	return rows.map((row) =>
		row
			.map((cell, index) => cell.padEnd(widths[index] ?? 0))
			.join('  ')
			.trimEnd(),
	);
}

function inputLine({ name, type, required }: Checked['described']['inputs'][number]): string {
	return `${name} (${type ?? 'any type'}${required ? '' : ', optional'})`;
}

function taskCells(task: Checked['described']['tasks'][number]): string[] {
	const interruption = { fail: 'fails', ask: 'asks' }[task.on_interrupt];
	const notes = [
		task.human_input ? 'asks for approval' : '',
		task.guardrails === 0 ? '' : `guardrails: ${task.guardrails}`,
		task.output_file === null ? '' : `writes ${task.output_file}`,
		interruption === undefined ? '' : `${interruption} if it is cut off`,
	];
	return [task.name, task.agent, notes.filter(Boolean).join(', ')];
}

function startLines({ imported, buildSeconds }: Checked): string[] {
	const [ofCrewai = 0, ofProject = 0] = imported.seconds;
	const seconds = [ofCrewai, ofProject, buildSeconds].map((one) => `${one.toFixed(1)} s`);
	return [
		`CrewAI ${seconds[0]}, the project ${seconds[1]}, building it ${seconds[2]}`,
		...imported.slow,
		imported.shares_memory
			? 'once: executions share the import'
			: 'again for each execution, which cannot share the import',
		...imported.unshareable,
	];
}

function interruptionLines({ crew, described }: Checked): string[] {
	if (!isFlow(crew)) {
		return [
			'continues after the tasks that have ended; a running task and its tools run again, unless on_interrupt says otherwise',
		];
	}
	return [
		'continues after the methods that have ended, if its state and their outputs are data',
		described.persists
			? 'later executions can start with its states (@persist)'
			: 'its state is gone once it ends, without @persist',
	];
}
