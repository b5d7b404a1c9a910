import { startCrewServer } from '../../crew-server/src';
import { copyProject, deploy, python, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { block, CONFIG, config, DECORATED, FUNCTION, IMPORT, MAKE, SHAPES } from './support/shapes';

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
				/^main\.py has kickoffs in lines \d+, \d+: only the first one that it reaches runs here\. Name it/,
			),
		);
	});

	it('a function whose defaults nobody can change, and says so', async () => {
		const files = { 'team.py': FUNCTION.replace('make()', 'make(style="short", words=100)') };
		deployment = await deploy(files, model);
		expect(deployment.crew.crew.warnings).toContain(
			'make has defaults for style: only what has none is an input.',
		);
		expect(await deployment.run({ topic: 'tea' })).toMatchObject({ status: 'completed' });
	});

	it('a function of what not only its texts need: it is built once that is known', async () => {
		const [, ...others] = MAKE;
		const decides =
			'story = "Short" if style == "short" else "Long"\nwriter = Agent(role=topic.title(), goal="Write", backstory=story)';
		const team = `${IMPORT}\ndef team(topic: str, style: str):\n${block([...decides.split('\n'), ...others, 'return crew'])}`;
		deployment = await deploy({ 'team.py': team }, model);
		const { inputs } = (await deployment.client.get('/inputs')).body as { inputs: object[] };
		expect(inputs).toMatchObject([
			{ name: 'topic', required: true },
			{ name: 'style', required: true },
		]);
		expect(await deployment.run({ topic: 'tea', style: 'short' })).toMatchObject({
			status: 'completed',
		});
		expect(JSON.stringify(model.asked.at(-1)?.messages)).toMatch(/You are Tea\. Short.*On tea/);
	});

	it('a program that does more with an answer than to put it into a text: it runs again once that is known', async () => {
		const [writer, text, crew] = MAKE;
		const asks =
			'from settings import COUNT\ntopic = input("What about? ").strip().title()\nparts = input("Parts: ").split(",")';
		const starts =
			'crew.kickoff(inputs={"topic": f"{topic} {COUNT + 1}", "parts": parts, "all": ["{x}"]})';
		const about = text!.replace('{topic}', '{topic} {parts}');
		deployment = await deploy(
			{
				'settings.py': 'COUNT = int(input("How many? ") or 2)\n',
				'main.py': `${IMPORT}${block([...asks.split('\n'), writer!, about, crew!, starts], 0)}`,
			},
			model,
		);
		const given = { topic: 'green tea', parts: 'a,b', count: 3 };
		const { body } = await deployment.client.post('/kickoff', { inputs: {} });
		expect(body['details']).toEqual({ missing_inputs: ['topic', 'parts', 'count'] });
		expect(deployment.crew.crew.warnings).toEqual([]);
		expect(await deployment.run(given)).toMatchObject({ status: 'completed' });
		expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain("On Green Tea 4 ['a', 'b']");
	});

	it('a function that takes its argument apart, and says so if its tasks depend on that', async () => {
		const [writer, text, crew] = MAKE;
		const made = crew!.replace('[text]', '[one, *others]');
		const tasks = `one, *others = [${text!.slice(7).replace('"On {topic}"', '"On " + part').replace('name="text", ', '')} for part in topic.split(",")]`;
		const starts = 'return crew.kickoff(inputs={"topic": topic.split(",")})';
		deployment = await deploy(
			{ 'team.py': `${IMPORT}\ndef team(topic):\n${block([writer!, tasks, made, starts])}` },
			model,
		);
		expect(await deployment.run({ topic: 'tea' })).toMatchObject({ status: 'completed' });
		expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('On tea');
		const { error } = await deployment.run({ topic: 'tea,milk' });
		expect(error).toMatch(/depend on topic: they are task_1, task_2 now, and were task_1 when/);
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
		const flow = `from crewai.flow.flow import Flow, start\nfrom pydantic import BaseModel, Field, field_validator\nfrom datetime import timedelta\n\nclass State(BaseModel):\n    topic: str\n    times: int = 2\n    size: int = Field(default=3, examples=[5])\n    tags: list[str] = []\n    pause: timedelta = timedelta(seconds=1)\n\n    @field_validator("tags", mode="before")\n    @classmethod\n    def split(cls, value):\n        return value.split(",") if isinstance(value, str) else value\n\nclass Asked(Flow[State]):\n    @start()\n    def say(self):\n        return self.state.topic * self.state.times + "/".join(self.state.tags) + str(self.state.pause)\n`;
		deployment = await deploy({ 'src/pkg/flows/asked.py': flow }, model);
		const { inputs } = (await deployment.client.get('/inputs')).body as { inputs: object[] };
		expect(inputs).toMatchObject([
			{ name: 'topic', required: true },
			{ name: 'times', required: false, default: 2 },
			{ name: 'size', default: 3, examples: [5] },
			{ name: 'tags', required: false },
			{ name: 'pause', required: false },
		]);
		expect(await deployment.run({ topic: 'tea', tags: 'a,b', pause: 90 })).toMatchObject({
			status: 'completed',
			result: { output: 'teateaa/b0:01:30' },
		});
	});
});

it('runs a flow whose state converts all that it gets, also other names', async () => {
	const flow = `from crewai.flow.flow import Flow, start\nfrom pydantic import BaseModel, model_validator\n\nclass State(BaseModel):\n    words: list[str]\n\n    @model_validator(mode="before")\n    @classmethod\n    def split(cls, given):\n        text = given.get("text", given.get("words")) or []\n        return {**given, "words": text.split() if isinstance(text, str) else text}\n\nclass Split(Flow[State]):\n    @start()\n    def say(self):\n        return "/".join(self.state.words)\n`;
	const deployment = await deploy({ 'src/pkg/main.py': flow }, model);
	for (const inputs of [{ words: 'a b' }, { text: 'a b' }]) {
		expect(await deployment.run(inputs)).toMatchObject({ result: { output: 'a/b' } });
	}
	await deployment.close();
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

	it('a crew that only a call with arguments creates', async () => {
		const needs = FUNCTION.replace('make()', 'make(topic, length: int)');
		expect(await refusalOf({ 'src/pkg/team.py': needs })).toMatch(
			/It has:\n- src\/pkg\/team\.py: makes a crew in make, which nothing calls without arguments\nName it with --entry module:name/,
		);
	});

	it('an argument that has to be more than a text', async () => {
		const reads = FUNCTION.replace('make():', 'make(notes):\n    notes["topic"]');
		expect(await refusalOf({ 'team.py': reads })).toMatch(
			/team\.py:4: TypeError: .*\nIt was built with placeholders for its arguments: notes="{notes}"\. If it needs more than texts, have a function without arguments build it\. Name it with --entry/,
		);
	});

	it('an agent without a crew', async () => {
		const agent =
			'from crewai import Agent\nwriter = Agent(role="Writer", goal="Write", backstory="Old")\n';
		expect(
			await refusalOf({ 'src/pkg/main.py': `${agent}print(writer.kickoff("Write"))\n` }),
		).toContain(
			'It has:\n- src/pkg/main.py: starts an agent by itself: put it into a crew, or into a method of a flow\n',
		);
	});

	it('a program that does not go on with what it gets', async () => {
		const asks =
			'while True:\n    number = input("Number: ")\n    if number.isdigit():\n        break\n';
		expect(await refusalOf({ 'main.py': `${asks}${IMPORT}${block(MAKE, 0)}` })).toContain(
			'main.py:2: EOFError: It waits for an answer at a terminal',
		);
	});

	it('a value that CrewAI does not accept, and a file that is in another folder', async () => {
		const old = MAKE.with(-1, 'crew = Crew(agents=[writer], tasks=[text], verbose=7)');
		expect(await refusalOf({ 'crew.py': `${IMPORT}${block(old, 0)}` })).toMatch(
			/…\/crew\.py:4: Crew does not take verbose=7 in CrewAI 1\.15\.\d+: Input should be a valid boolean.*\. Change it there\.$/,
		);
		const opens = `open("config/agents.yaml")\n${IMPORT}${block(MAKE, 0)}`;
		expect(await refusalOf({ 'src/crew.py': opens, ...config('src/config') })).toContain(
			'That is in …/src: give that folder instead of ….',
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
		const itself =
			'import importlib, pathlib\nimportlib.import_module(pathlib.Path(__file__).parent.name)\n';
		expect(await refusalOf({ 'crew.py': itself + FUNCTION })).toMatch(
			/That is this folder: give the one above it, \S+\. Name it with --entry/,
		);
		expect(await refusalOf({ 'crew.py': `import crewai.no_such\n${FUNCTION}` })).toMatch(
			/written for another version of crewai than 1\.15/,
		);
	});

	it('an entry that does not exist', async () => {
		expect(await refusalOf({ 'a.py': FUNCTION }, 'a:build')).toContain(
			'There is no build in a of …. It has: Agent, Crew, Task, make.',
		);
		expect(await refusalOf({ 'a.py': FUNCTION }, 'make')).toContain('give module:name');
		expect(await refusalOf({ 'a.py': 'COUNT = 3\n' }, 'a:COUNT')).toContain(
			'The entry COUNT of … is 3: expected a crew, a flow',
		);
	});

	it('a key in a YAML file that does not exist', async () => {
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

	it('a tool that asks whether to install what it needs', async () => {
		const asks = 'import click\nclick.confirm("Would you like to install it?")\n';
		expect(await refusalOf({ 'crew.py': `${asks}${FUNCTION}` })).toContain(
			'crew.py:2: it asks at a terminal, and nobody answers here: "Would you like to install it?"',
		);
	});

	it('a command line that is read', async () => {
		const program = `import argparse\n${FUNCTION}\nparser = argparse.ArgumentParser()\nparser.add_argument("topic")\nparser.parse_args()\n`;
		expect(await refusalOf({ 'crew.py': program })).toContain(
			'it reads its command line, which is empty here: the following arguments are required: topic',
		);
	});
});
