import { pageOf, type Checked } from '../../crew-server/src/check';
import { readCommandLine } from '../../crew-server/src/commandLine';

const TASK = {
	description: 'On {topic}',
	expected_output: 'A text',
	human_input: false,
	guardrails: 0,
	output_file: null,
	on_interrupt: 'again',
};

const CHECKED: Checked = {
	crew: { name: 'Writing', kind: 'crew', warnings: ['No key.'], inputs: [], tasks: [] },
	python: '/env/bin/python',
	buildSeconds: 0.25,
	imported: {
		type: 'imported',
		version: 1,
		crewai: '1.15.30',
		python: '3.11.7',
		place: 'src/pkg/crew.py',
		shares_memory: true,
		seconds: [2.04, 1.5],
		slow: ['src/pkg/crew.py:3 imports pandas: 1.2 s'],
		unshareable: [],
	},
	described: {
		type: 'described',
		name: 'Writing',
		kind: 'crew',
		tasks: [
			{ ...TASK, name: 'draft', agent: 'Writer', human_input: true, output_file: 'a.md' },
			{ ...TASK, name: 'final_edit', agent: 'Editor', guardrails: 2, on_interrupt: 'ask' },
		],
		inputs: [
			{ name: 'topic', type: null, required: true, description: null, default: null, examples: [] },
			{
				name: 'year',
				type: 'integer',
				required: false,
				description: null,
				default: null,
				examples: [],
			},
		],
		agents: [
			{ role: 'Writer', model: 'gpt-4o' },
			{ role: 'Editor', model: null },
		],
		has_hooks: false,
		persists: false,
		builds_early: true,
		warnings: [],
		unset: ['SEARCH_KEY (src/pkg/crew.py:7)'],
	},
};

it('prints all that it found on one page', () => {
	expect(pageOf(CHECKED)).toBe(`The crew "Writing" would start.

  Found in           src/pkg/crew.py
  CrewAI             1.15.30, Python 3.11.7 (/env/bin/python)
  Inputs             topic (any type)
                     year (integer, optional)
  Tasks              draft       Writer  asks for approval, writes a.md
                     final_edit  Editor  guardrails: 2, asks if it is cut off
  Agents             Writer  gpt-4o
                     Editor  its own model object
  Start              CrewAI 2.0 s, the project 1.5 s, building it 0.3 s
                     src/pkg/crew.py:3 imports pandas: 1.2 s
                     once: executions share the import
  If it is cut off   continues after the tasks that have ended; a running task and its tools run again, unless on_interrupt says otherwise

Warning: No key.
Warning: These variables are not set: SEARCH_KEY (src/pkg/crew.py:7).`);
});

it('takes the options of a start', () => {
	expect(readCommandLine(['check', 'my/crew', '--entry', 'a:b', '--crew', 'One'])).toMatchObject({
		check: { crew: 'my/crew', project: { entry: 'a:b', crewName: 'One' } },
	});
	expect(() => readCommandLine(['check'])).toThrow('Name the project to check');
	expect(() => readCommandLine(['check', 'a', 'b'])).toThrow('not a and b');
});
