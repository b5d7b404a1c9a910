import { join } from 'node:path';

/** The beginnings and ends of modules of Python, and what is in between. */
export const IMPORT = 'from crewai import Agent, Crew, Task\n';
export const MAKE = [
	'writer = Agent(role="Writer", goal="Write", backstory="Old")',
	'text = Task(name="text", description="On {topic}", expected_output="A text", agent=writer)',
	'crew = Crew(agents=[writer], tasks=[text])',
];
/** Lines of Python, indented. */
export const block = (lines: string[], depth = 1) =>
	lines.map((line) => `${'    '.repeat(depth)}${line}\n`).join('');
export const FUNCTION = `${IMPORT}\ndef make():\n${block([...MAKE, 'return crew'])}`;
/** The same crew, with the surrounding code's variable `topic`. */
const ABOUT = MAKE.map((line) => line.replace('"On {topic}"', '"On " + topic'));
export const DECORATED = `${IMPORT}from crewai.project import CrewBase, agent, crew, task


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
export const CONFIG = {
	'agents.yaml': 'writer:\n  role: Writer\n  goal: Write\n  backstory: Old\n',
	'tasks.yaml': 'text:\n  description: On {topic}\n  expected_output: A text\n  agent: writer\n',
};
export const config = (folder: string) =>
	Object.fromEntries(Object.entries(CONFIG).map(([name, text]) => [join(folder, name), text]));

interface Shape {
	files: Record<string, string>;
	name: string;
	entry?: string;
}

/** Forms of people's projects, by description. */
export const SHAPES: Record<string, Shape> = {
	'a crew in main.py': { files: { 'main.py': `${IMPORT}${block(MAKE, 0)}` }, name: 'crew' },
	'a program that makes its crew below __main__': {
		files: {
			'notes/main.py': `${IMPORT}\nif __name__ == "__main__":\n${block([...MAKE, 'print(crew.kickoff(inputs={"topic": "all"}))'])}`,
		},
		name: 'notes',
	},
	'a program of a package that imports its neighbor by a dot': {
		files: {
			'src/notes/__init__.py': '',
			'src/notes/style.py': 'TEXT = "A text"\n',
			'src/notes/main.py': `${IMPORT}from .style import TEXT\n\ndef run():\n${block([...MAKE, 'text.expected_output = TEXT', 'crew.kickoff(inputs={"topic": "all"})'])}\nif __name__ == "__main__":\n    run()\n`,
		},
		name: 'notes',
	},
	'a program that awaits its crew': {
		files: {
			'notes/main.py': `import asyncio\n\n${IMPORT}\nasync def main():\n${block([...MAKE, 'print(await crew.akickoff(inputs={"topic": "all"}))'])}\nif __name__ == "__main__":\n    asyncio.run(main())\n`,
		},
		name: 'notes',
	},
	'a module that catches everything': {
		files: {
			'notes/main.py': `import sys\n\n${IMPORT}${block(MAKE, 0)}try:\n    print(crew.kickoff(inputs={"topic": "all"}))\nexcept:\n    sys.exit("It has failed")\n`,
		},
		name: 'notes',
	},
	'a program that catches everything': {
		files: {
			'notes/main.py': `${IMPORT}\ndef main():\n${block(MAKE)}    try:\n        print(crew.kickoff(inputs={"topic": "all"}))\n    except:\n        print("It has failed")\n\nif __name__ == "__main__":\n    main()\n`,
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
	'a package beside it that is named like a module of Python': {
		files: {
			'pkg/crew.py': `from platform.notes import TEXT\n${FUNCTION}`,
			'platform/notes.py': 'TEXT = "Notes"\n',
		},
		name: 'make',
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
	'a class that is built with what its program gives it': {
		files: {
			'src/pkg/crew.py': DECORATED.replace(
				'class Inner:',
				'class Inner:\n    def __init__(self, notes: str = ""):\n        if not notes:\n            raise ValueError("Where are the notes?")\n',
			),
			'src/pkg/main.py':
				'from pkg.crew import Inner\n\ndef run():\n    Inner(notes="here").crew().kickoff(inputs={"topic": "all"})\n',
			...config('src/pkg/config'),
		},
		name: 'Inner',
	},
	'a class whose method starts its crew': {
		files: {
			'src/pkg/crew.py': `${IMPORT}\nclass Team:\n    def __init__(self, topic: str):\n        self.topic = topic\n\n    def build(self):\n${block(MAKE.with(1, MAKE[1]!.replace('"On {topic}"', '"On " + self.topic')), 2)}        return crew\n\n    def run(self):\n        return self.build().kickoff()\n`,
		},
		name: 'Team.run',
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
