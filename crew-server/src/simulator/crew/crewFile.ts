import { DEFAULT_DURATION, type CrewDefinition, type CrewTask } from './definition';
import { INPUT_TYPES, type CrewInput } from '../../domain/crew';
import { placeholdersOf } from '../../domain/template';
import { YamlCursor } from './yamlCursor';

const INPUT_NAME = /^[A-Za-z_][\w-]*$/;
const TASK_FIELDS = [
	'name',
	'description',
	'expected_output',
	'agent',
	'tools',
	'output',
	'duration',
	'human_input',
	'failure',
];

/**
 * Reads a crew from a YAML file in our own format (see docs/testing-against-a-crew.md).
 *
 * @throws {BrokenFileError} naming file, line and what was expected
 */
export function readCrewFile(file: string): CrewDefinition {
	const root = YamlCursor.open(file);
	root.allowOnly(['name', 'description', 'inputs', 'tasks']);
	const inputs = root.at('inputs').exists ? root.at('inputs').items().map(readInput) : [];
	refuseRepeatedNames(root.at('inputs'), inputs);
	const inputNames = inputs.map(({ name }) => name);
	const tasks = root
		.at('tasks')
		.items()
		.map((task) => readTask(task, inputNames));
	if (tasks.length === 0) root.at('tasks').refuse('at least one task');
	refuseRepeatedNames(root.at('tasks'), tasks);
	return {
		name: root.at('name').text('the name of the crew'),
		description: root.at('description').optionalText(),
		inputs,
		tasks,
	};
}

function readInput(cursor: YamlCursor): CrewInput {
	cursor.allowOnly(['name', 'type', 'required', 'description']);
	const name = cursor.at('name').text('the name of the input');
	if (!INPUT_NAME.test(name) || name === 'human_feedback') {
		cursor.at('name').refuse('a name of letters, digits, _ and - (human_feedback is taken)');
	}
	return {
		name,
		type: cursor.at('type').choice(INPUT_TYPES, 'string'),
		required: cursor.at('required').flag(false),
		description: cursor.at('description').optionalText(),
	};
}

function readTask(cursor: YamlCursor, inputNames: string[]): CrewTask {
	cursor.allowOnly(TASK_FIELDS);
	const filled = (field: string, expected?: string, extraNames: string[] = []) => {
		const text = cursor.at(field).text(expected);
		refuseUnknownPlaceholders(cursor.at(field), text, [...inputNames, ...extraNames]);
		return text;
	};
	return {
		name: cursor.at('name').text('the name of the task'),
		description: filled('description'),
		expectedOutput: filled('expected_output'),
		agent: filled('agent', "the agent's role"),
		output: filled('output', undefined, ['human_feedback']),
		tools: cursor.at('tools').exists
			? cursor
					.at('tools')
					.items()
					.map((tool) => tool.text('the name of a tool'))
			: [],
		duration: cursor.at('duration').milliseconds(DEFAULT_DURATION),
		humanInput: cursor.at('human_input').flag(false),
		failure: cursor.at('failure').exists ? filled('failure') : undefined,
	};
}

function refuseUnknownPlaceholders(cursor: YamlCursor, text: string, known: string[]): void {
	const unknown = placeholdersOf(text).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const names = known.map((name) => `{${name}}`).join(', ') || 'no placeholder';
	throw cursor.problem(
		`expected ${names}, found {${unknown}}; name it under inputs, or correct the name`,
	);
}

function refuseRepeatedNames(list: YamlCursor, entries: ReadonlyArray<{ name: string }>): void {
	const names = entries.map(({ name }) => name);
	const index = names.findIndex((name, position) => names.indexOf(name) !== position);
	if (index >= 0) list.items()[index]?.at('name').refuse('a name that no other has');
}
