import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { copyProject, deploy, python, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

const IMPORT = 'from crewai import Agent, Crew, Task\n';
const MAKE = [
	'writer = Agent(role="Writer", goal="Write", backstory="Old")',
	'text = Task(name="text", description="On {topic}", expected_output="A text", agent=writer)',
	'crew = Crew(agents=[writer], tasks=[text])',
];
/** Lines of Python, indented. */
const block = (lines: string[], depth = 1) =>
	lines.map((line) => `${'    '.repeat(depth)}${line}\n`).join('');
const FUNCTION = `${IMPORT}\ndef make():\n${block([...MAKE, 'return crew'])}`;
/** The same crew, about what the surrounding code calls `topic`. */
const ABOUT = MAKE.map((line) => line.replace('"On {topic}"', '"On " + topic'));
const DECORATED = `${IMPORT}from crewai.project import CrewBase, agent, crew, task


@CrewBase
class Inner:
    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])

    @task
    def text(self) -> Task:
        return Task(config=self.tasks_config["text"])

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
`;
const CONFIG = {
	'agents.yaml': 'writer:\n  role: Writer\n  goal: Write\n  backstory: Old\n',
	'tasks.yaml': 'text:\n  description: On {topic}\n  expected_output: A text\n  agent: writer\n',
};
const config = (folder: string) =>
	Object.fromEntries(Object.entries(CONFIG).map(([name, text]) => [join(folder, name), text]));

interface Shape {
	files: Record<string, string>;
	name: string;
	entry?: string;
}

/** Shapes that people's projects have, by what they are. */
const SHAPES: Record<string, Shape> = {
	'a crew in main.py': { files: { 'main.py': `${IMPORT}${block(MAKE, 0)}` }, name: 'crew' },
	'a program that makes its crew below __main__': {
		files: {
			'notes/main.py': `${IMPORT}\nif __name__ == "__main__":\n${block([...MAKE, 'print(crew.kickoff(inputs={"topic": "all"}))'])}`,
		},
		name: 'notes',
	},
	'an old layout with agents.py, tasks.py and main.py': {
		files: {
			'agents.py': `from crewai import Agent\nclass Agents:\n    def writer(self):\n        return Agent(role="Writer", goal="Write", backstory="Old")\n`,
			'tasks.py': `from crewai import Task\nclass Tasks:\n    def text(self, agent, topic):\n        return Task(name="text", description="On " + topic, expected_output="A text", agent=agent)\n`,
			'main.py': `from crewai import Crew\nfrom agents import Agents\nfrom tasks import Tasks\n\nclass Trip:\n    def __init__(self, topic):\n        self.topic = topic\n    def run(self):\n        writer = Agents().writer()\n        crew = Crew(agents=[writer], tasks=[Tasks().text(writer, "{topic}")])\n        return crew.kickoff()\n\nif __name__ == "__main__":\n    print(Trip("Graz").run())\n`,
		},
		name: 'files',
	},
	'a crew deep in a package': {
		files: {
			'src/pkg/crews/inner/inner_crew.py': DECORATED,
			...config('src/pkg/crews/inner/config'),
		},
		name: 'Inner',
	},
	'a class whose crew has a name of its own': {
		files: {
			'src/pkg/crew.py': DECORATED.replace('def crew(', 'def team('),
			...config('src/pkg/config'),
		},
		name: 'Inner',
	},
	'a function that does not say what it returns': {
		files: { 'pkg/build.py': FUNCTION },
		name: 'make',
	},
	'a package that is named like one of Python': {
		files: { 'src/email/crew.py': DECORATED, ...config('src/email/config') },
		name: 'Inner',
	},
	'a crew that its own module starts': {
		files: {
			'crew.py': `${IMPORT}${block([...MAKE, 'print(crew.kickoff(inputs={"topic": "all"}))'], 0)}`,
		},
		name: 'crew',
	},
	'a program that asks for what its crew is about': {
		files: {
			'notes/main.py': `${IMPORT}\ntopic = input("What about?\\n").strip()\n${block([...ABOUT, 'print(crew.kickoff())'], 0)}`,
		},
		name: 'notes',
	},
	'a program that passes on what it asks for': {
		files: {
			'ask.py': `def ask(what):\n    return input(what + "? ")\n`,
			'main.py': `${IMPORT}from ask import ask\n\ndef main():\n    subject = ask("Subject")\n${block([...MAKE, 'crew.kickoff(inputs={"topic": subject})'])}\nif __name__ == "__main__":\n    main()\n`,
		},
		name: 'files',
	},
	'a function of a text that makes a crew': {
		files: {
			'pkg/team.py': `${IMPORT}\ndef team(topic: str, style="short"):\n${block([...ABOUT, 'return crew'])}`,
		},
		name: 'team',
	},
	'a function of a service that starts a crew': {
		files: {
			'service.py': `${IMPORT}\ndef work(topic):\n${block([...MAKE, 'return crew.kickoff(inputs={"topic": topic}).raw'])}\nif __name__ == "__main__":\n    raise RuntimeError("It would serve for ever")\n`,
		},
		name: 'work',
	},
	'a class that needs a text': {
		files: {
			'src/pkg/crew.py': DECORATED.replace(
				'class Inner:',
				'class Inner:\n    def __init__(self, topic: str):\n        self.topic = topic\n',
			).replace(
				'Task(config=self.tasks_config["text"])',
				'Task(config={**self.tasks_config["text"], "description": f"On {self.topic}"})',
			),
			...config('src/pkg/config'),
		},
		name: 'Inner',
	},
	'what --entry names': {
		files: { 'a.py': FUNCTION, 'b.py': FUNCTION },
		entry: 'b:make',
		name: 'make',
	},
	'what pyproject.toml names': {
		files: {
			'pyproject.toml': '[tool.crew-server]\nentry = "odd.place:crew"\n',
			'odd/place.py': `${IMPORT}${block(MAKE, 0)}`,
			'crew.py': FUNCTION,
		},
		name: 'crew',
	},
};

let model: ScriptedModel;
beforeAll(async () => {
	model = await startScriptedModel(() => 'Written');
});
afterAll(() => model.close());

describe('runs', () => {
	let deployment: Deployment;
	afterEach(() => deployment.close());

	it.each(Object.entries(SHAPES))('%s', async (_what, { files, name, entry }) => {
		deployment = await deploy(files, model, { project: { entry } });
		expect(deployment.crew.crew.name).toMatch(new RegExp(`^(${name}|crew-files-.*)$`));
		expect(await deployment.run({ topic: 'tea' })).toMatchObject({
			status: 'completed',
			result: { output: 'Written', tasks: [{ task_id: 'text' }] },
		});
		expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('On tea');
	});

	it('the first crew of a program that starts several, and says so', async () => {
		const lines = [...MAKE, 'crew.kickoff()', 'crew.copy().kickoff()'];
		deployment = await deploy({ 'main.py': `${IMPORT}${block(lines, 0)}` }, model);
		expect(await deployment.run({ topic: 'tea' })).toMatchObject({ status: 'completed' });
		expect(deployment.crew.crew.warnings).toContainEqual(
			expect.stringMatching(
				/^main\.py has kickoffs in lines \d+, \d+: only the first one that it comes to runs here\. Name it/,
			),
		);
	});

	it('a flow without inputs whose state has a default that is none', async () => {
		const flow = `from crewai.flow.flow import Flow, start\nfrom pydantic import BaseModel\n\nclass Outline(BaseModel):\n    title: str\n\nclass State(BaseModel):\n    outline: Outline = None\n\nclass Guide(Flow[State]):\n    @start()\n    def say(self):\n        return "written"\n`;
		deployment = await deploy({ 'src/pkg/main.py': flow }, model);
		expect(await deployment.run({})).toMatchObject({
			status: 'completed',
			result: { output: 'written' },
		});
	});

	it('a flow whose state has a field without a default: it is an input', async () => {
		const flow = `from crewai.flow.flow import Flow, start\nfrom pydantic import BaseModel, Field\n\nclass State(BaseModel):\n    topic: str\n    times: int = 2\n    size: int = Field(default=3, examples=[5])\n\nclass Asked(Flow[State]):\n    @start()\n    def say(self):\n        return self.state.topic * self.state.times\n`;
		deployment = await deploy({ 'src/pkg/flows/asked.py': flow }, model);
		const { inputs } = (await deployment.client.get('/inputs')).body as { inputs: object[] };
		expect(inputs).toMatchObject([
			{ name: 'topic', required: true },
			{ name: 'times', required: false, default: 2 },
			{ name: 'size', default: 3, examples: [5] },
		]);
		expect(await deployment.run({ topic: 'tea' })).toMatchObject({
			status: 'completed',
			result: { output: 'teatea' },
		});
	});
});

describe('says what to do about', () => {
	const refusalOf = async (files: Record<string, string>, entry?: string): Promise<string> => {
		const copy = copyProject(files, model.env);
		try {
			const started = await startCrewServer({ crew: copy.folder, project: { python, entry } });
			await started.close();
			return 'nothing';
		} catch (error) {
			return (error as Error).message.replaceAll(copy.folder, '…');
		} finally {
			copy.remove();
		}
	};

	it('a crew that only a call with arguments makes', async () => {
		const needs = FUNCTION.replace('make()', 'make(topic, length: int)');
		expect(await refusalOf({ 'src/pkg/team.py': needs })).toMatch(
			/It has:\n- src\/pkg\/team\.py: makes a crew in make, which nothing calls without arguments\nName it with --entry module:name/,
		);
		expect(await refusalOf({ 'team.py': FUNCTION.replace('make()', 'make(llm)') })).toContain(
			'make in team.py needs llm, and no text of its crew has it: it cannot come with the kickoff. Give it a default.',
		);
	});

	it('a program that does not go on with what it gets', async () => {
		const asks =
			'while True:\n    number = input("Number: ")\n    if number.isdigit():\n        break\n';
		expect(await refusalOf({ 'main.py': `${asks}${IMPORT}${block(MAKE, 0)}` })).toContain(
			'main.py:2: EOFError: It waits for an answer at a terminal',
		);
	});

	it('what CrewAI does not take, and a file that is looked for in another folder', async () => {
		const old = MAKE.with(-1, 'crew = Crew(agents=[writer], tasks=[text], verbose=7)');
		expect(await refusalOf({ 'crew.py': `${IMPORT}${block(old, 0)}` })).toMatch(
			/…\/crew\.py:4: Crew does not take verbose=7 in CrewAI 1\.15\.\d+: Input should be a valid boolean.*\. Change it there\.$/,
		);
		const opens = `open("config/agents.yaml")\n${IMPORT}${block(MAKE, 0)}`;
		expect(await refusalOf({ 'src/crew.py': opens, ...config('src/config') })).toContain(
			'That is in …/src: give this folder in the place of ….',
		);
	});

	it('a package that is missing', async () => {
		const files = { 'crew.py': `import no_such.thing\n${FUNCTION}` };
		const project = { ...files, 'pyproject.toml': '[project]\nname = "no-such-one"\n' };
		const listed = { ...project, 'requirements.txt': 'No-Such==1\n' };
		expect(await refusalOf(files)).toMatch(/type `uv pip install --python \S+ no_such`\.$/);
		expect(await refusalOf(listed)).toMatch(
			/`uv pip install --python \S+ -r …\/requirements\.txt`\.$/,
		);
		expect(await refusalOf(project)).toMatch(/type `uv add no_such` in …\.$/);
		expect(await refusalOf({ ...project, 'crew.py': `import decouple\n${FUNCTION}` })).toMatch(
			/type `uv add python-decouple` in …\.$/,
		);
		expect(await refusalOf({ 'crew.py': `import crewai.no_such\n${FUNCTION}` })).toMatch(
			/written for another version of crewai than 1\.15/,
		);
	});

	it('an entry that is not there', async () => {
		expect(await refusalOf({ 'a.py': FUNCTION }, 'a:build')).toContain(
			'There is no build in a of …. It has: Agent, Crew, Task, make.',
		);
		expect(await refusalOf({ 'a.py': FUNCTION }, 'make')).toContain('give module:name');
		expect(await refusalOf({ 'a.py': 'COUNT = 3\n' }, 'a:COUNT')).toContain(
			'The entry COUNT of … is 3: expected a crew, a flow',
		);
	});

	it('a key that a YAML file names and nothing has', async () => {
		const files = { 'src/pkg/crew.py': DECORATED, ...config('src/pkg/config') };
		const other = CONFIG['tasks.yaml'].replace('agent: writer', 'agent: other_agent');
		expect(await refusalOf({ ...files, 'src/pkg/config/tasks.yaml': other })).toContain(
			'…/src/pkg/config/tasks.yaml:4 names other_agent, and the crew has no method of this name with @agent',
		);
		const renamed = CONFIG['agents.yaml'].replace('writer:', 'author:');
		expect(await refusalOf({ ...files, 'src/pkg/config/agents.yaml': renamed })).toContain(
			'…/src/pkg/config/agents.yaml has no writer, which …/src/pkg/crew.py:9 takes',
		);
	});

	it('a command line that is read', async () => {
		const program = `import argparse\n${FUNCTION}\nparser = argparse.ArgumentParser()\nparser.add_argument("topic")\nparser.parse_args()\n`;
		expect(await refusalOf({ 'crew.py': program })).toContain(
			'it reads its command line, which is empty here: the following arguments are required: topic',
		);
	});
});
