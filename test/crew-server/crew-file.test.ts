import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findCrew } from '../../crew-server/src/findCrew';
import { readCrewFile } from '../../crew-server/src/simulator/crew/crewFile';

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-file-'));
});
afterAll(() => {
	rmSync(folder, { recursive: true });
});

function read(text: string) {
	const file = join(folder, 'crew.yaml');
	writeFileSync(file, text);
	return readCrewFile(file);
}

const TASK = `
tasks:
  - name: one
    description: About {topic}
    expected_output: A text
    agent: Writer
    output: '{"about": "{topic}"} {human_feedback}'
`;
const INPUTS = `inputs:
  - name: topic
`;

it('reads a crew, with the documented defaults', () => {
	expect(read(`name: mine\n${INPUTS}${TASK}`)).toEqual({
		name: 'mine',
		description: undefined,
		inputs: [{ name: 'topic', type: 'string', required: false, description: undefined }],
		tasks: [
			{
				name: 'one',
				description: 'About {topic}',
				expectedOutput: 'A text',
				agent: 'Writer',
				output: '{"about": "{topic}"} {human_feedback}',
				tools: [],
				duration: 200,
				humanInput: false,
				failure: undefined,
			},
		],
	});
});

it.each([
	['no YAML', 'name: [', ':1: expected YAML, but: '],
	['an empty file', '', ':1: expected names with values (name: value), found nothing'],
	['a text alone', 'crew', ':1: expected names with values (name: value), found "crew"'],
	['no name', INPUTS + TASK, ':1: name: expected the name of the crew, found nothing'],
	['no tasks', 'name: a', ':1: tasks: expected a list, found nothing'],
	['empty tasks', 'name: a\ntasks: []', ':2: tasks: expected at least one task, found a list'],
	['a misspelt name', 'name: a\ntask: []', ':2: task: is not known here; expected one of name,'],
	[
		'another type',
		`name: a\n${INPUTS}    type: text\n${TASK}`,
		':4: inputs[0].type: expected one of string, integer, number, boolean, array, object, found "text"',
	],
	[
		'a placeholder without input',
		`name: a\n${TASK}`,
		':5: tasks[0].description: expected no placeholder, found {topic}; name it under inputs',
	],
	[
		'a duration that is none',
		`name: a\n${INPUTS}${TASK}    duration: soon`,
		':11: tasks[0].duration: expected a whole number of milliseconds, 0 or more, found "soon"',
	],
	[
		'a flag that is none',
		`name: a\n${INPUTS}${TASK}    human_input: maybe`,
		':11: tasks[0].human_input: expected true or false, found "maybe"',
	],
	[
		'an input name twice',
		`name: a\n${INPUTS}  - name: topic\n${TASK}`,
		':4: inputs[1].name: expected a name that no other has, found "topic"',
	],
	[
		'a placeholder without input in what a task fails with',
		`name: a\n${INPUTS}${TASK}    failure: '{reason}'`,
		':11: tasks[0].failure: expected {topic}, found {reason}; name it under inputs',
	],
	[
		'an input name that no placeholder can have',
		`name: a\ninputs:\n  - name: the topic\n${TASK}`,
		':3: inputs[0].name: expected a name of letters, digits',
	],
])('refuses %s with file, line and what was expected', (_case, text, message) => {
	expect(() => read(text)).toThrow(`${join(folder, 'crew.yaml')}${message}`);
});

it('says which crews there are if the named one does not exist', () => {
	expect(() => findCrew('nothing', false)).toThrow(
		'There is no crew "nothing": give research or reviewed-article',
	);
});
