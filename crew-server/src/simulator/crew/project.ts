import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

import { DEFAULT_DURATION, type CrewDefinition, type CrewTask } from './definition';
import type { CrewInput } from '../../domain/crew';
import { placeholdersOf } from '../../domain/template';
import { YamlCursor } from './yamlCursor';

interface Agent {
	role: string;
	goal?: string;
	backstory?: string;
}

/**
 * The folder of a CrewAI project with `agents.yaml` and `tasks.yaml`: `config/` in the
 * project, or in the package under its `src/`, as `crewai create crew` lays it out.
 */
function findConfigFolder(project: string): string | undefined {
	const sources = join(project, 'src');
	const packages = existsSync(sources)
		? readdirSync(sources).map((name) => join(sources, name, 'config'))
		: [];
	return [join(project, 'config'), ...packages, project].find((folder) =>
		['agents.yaml', 'tasks.yaml'].every((file) => existsSync(join(folder, file))),
	);
}

/**
 * Reads a CrewAI project's YAML files: its inputs are the `{placeholders}` in their texts, and a
 * task's output is made from its `expected_output`.
 *
 * @throws {BrokenFileError} naming file, line and what was expected
 * @throws {Error} if the folder has no such files, saying where they were looked for
 */
export function readProject(project: string): CrewDefinition {
	const folder = findConfigFolder(project);
	if (folder === undefined || !statSync(folder).isDirectory()) {
		throw new Error(
			`There is no crew in ${project}: expected config/agents.yaml and config/tasks.yaml there, or in a package under its src.`,
		);
	}
	const agents = readAgents(YamlCursor.open(join(folder, 'agents.yaml')));
	const tasks = readTasks(YamlCursor.open(join(folder, 'tasks.yaml')), agents);
	return { name: basename(project), inputs: inputsOf(tasks, [...agents.values()]), tasks };
}

function readAgents(root: YamlCursor): Map<string, Agent> {
	return new Map(
		root.entries().map(([name, cursor]) => [
			name,
			{
				role: cursor.at('role').text("the agent's role").trim(),
				goal: cursor.at('goal').optionalText()?.trim(),
				backstory: cursor.at('backstory').optionalText()?.trim(),
			},
		]),
	);
}

function readTasks(root: YamlCursor, agents: Map<string, Agent>): CrewTask[] {
	const tasks = root.entries().map(([name, cursor]) => readTask(name, cursor, agents));
	return tasks.length > 0 ? tasks : root.refuse('at least one task');
}

function readTask(name: string, cursor: YamlCursor, agents: Map<string, Agent>): CrewTask {
	const agentName = cursor.at('agent').text('the name of an agent of agents.yaml').trim();
	const agent = agents.get(agentName);
	if (!agent) {
		const names = [...agents.keys()].join(', ');
		return cursor.at('agent').refuse(`an agent of agents.yaml (${names})`);
	}
	const expectedOutput = cursor.at('expected_output').text().trim();
	return {
		name,
		description: cursor.at('description').text().trim(),
		expectedOutput,
		agent: agent.role,
		output: `(simulated) ${expectedOutput}`,
		duration: DEFAULT_DURATION,
		humanInput: cursor.at('human_input').flag(false),
	};
}

/** CrewAI fills all placeholders from the inputs and refuses to begin without one of them. */
function inputsOf(tasks: readonly CrewTask[], agents: readonly Agent[]): CrewInput[] {
	const texts = [
		...tasks.flatMap(({ description, expectedOutput }) => [description, expectedOutput]),
		...agents.flatMap(({ role, goal = '', backstory = '' }) => [role, goal, backstory]),
	];
	return placeholdersOf(texts.join('\n')).map((name) => ({ name, type: 'string', required: true }));
}
