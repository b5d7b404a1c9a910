import { Command } from '../crew-server/support/command';
import { copyProject, python, type ProjectSource } from './support/deployment';

const CREW = `import os
import threading
import time

from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task

import slow_library

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def search(query):
    return os.environ["SEARCH_TOKEN"] + query


@CrewBase
class Writing:
    agents_config = {}
    tasks_config = {}

    @agent
    def writer(self) -> Agent:
        return Agent(role="Writer", goal="Write", backstory="Old", llm="gpt-4.1-mini")

    @task
    def draft_task(self) -> Task:
        return Task(description="On {topic}", expected_output="A text", agent=self.writer(), human_input=True,
                    guardrail=lambda output: (True, output), output_file="draft.md")

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
`;

const OWN_MODEL = `from crewai import BaseLLM

os.chdir("/")


class OwnModel(BaseLLM):
    def call(self, *args, **kwargs):
        return "Tea"
`;

const FLOW = `from crewai.flow.flow import Flow, start
from crewai.flow.persistence import persist
from pydantic import BaseModel


class State(BaseModel):
    topic: str
    times: int = 2


@persist()
class Asked(Flow[State]):
    @start()
    def say(self):
        return self.state.topic * self.state.times
`;

async function check(source: ProjectSource): Promise<{ code: number | null; output: string }> {
	const copy = copyProject(source, {});
	const command = new Command(['check', copy.folder, '--python', python], {
		env: { OPENAI_API_KEY: '' },
	});
	const code = await command.ended;
	copy.remove();
	return { code, output: command.output.replaceAll(copy.folder, '…') };
}

it('shows a crew’s inputs and tasks, what makes it slow, and which key is missing', async () => {
	const { code, output } = await check({
		'src/pkg/crew.py': CREW,
		'src/pkg/slow_library.py': 'import time\n\ntime.sleep(0.5)\n',
	});
	expect(output).toMatch(
		/The crew "Writing" would start\.\n\n +Found in +src\/pkg\/crew\.py\n +CrewAI +1\.15\.\d+, Python 3\.\d+/,
	);
	expect(output).toMatch(/Inputs +topic \(any type\)\n/);
	expect(output).toMatch(
		/draft_task +Writer +asks for approval, guardrails: 1, writes draft\.md\n +Agents +Writer +gpt-4\.1-mini\n/,
	);
	expect(output).toMatch(
		/src\/pkg\/crew\.py:8 imports slow_library: 0\.\d s\n +again for each execution[^]*src\/pkg\/crew\.py:10 starts a thread\n/,
	);
	expect(output).toContain('Warning: There is no key for the model gpt-4.1-mini');
	expect(output).toMatch(/Warning: .*\(src\/pkg\/crew\.py:10 starts a thread\), so each execution/);
	expect(output).toContain('not set: SEARCH_TOKEN (src/pkg/crew.py:14).');
	expect(code).toBe(0);
});

it('reads the settings of a project that changes its folder, and wants no key for a model of its own', async () => {
	const { code, output } = await check({
		'pyproject.toml': '[tool.crew-server.on_interrupt]\ndraft_task = "fail"\n',
		'src/pkg/crew.py': CREW.replace('import slow_library', OWN_MODEL).replace(
			'"gpt-4.1-mini"',
			'OwnModel(model="own")',
		),
	});
	expect(output).toMatch(/draft_task +Writer +.*, fails if it is cut off\n/);
	expect(output).toContain('not set: SEARCH_TOKEN (src/pkg/crew.py:');
	expect(output).not.toContain('There is no key');
	expect(code).toBe(0);
});

it('shows a flow’s inputs, and what is kept of it', async () => {
	const { code, output } = await check({ 'src/pkg/main.py': FLOW });
	expect(output).toMatch(
		/The flow "Asked" would start\.[^]*Inputs +topic \(string\)\n +times \(integer, optional\)\n +Methods +say +Asked\n/,
	);
	expect(output).toMatch(/once: executions share the import\n[^]*\(@persist\)$/m);
	expect(code).toBe(0);
});

it('says what to do if the project would not start', async () => {
	const { code, output } = await check({ 'src/pkg/crew.py': `import not_there\n${CREW}` });
	expect(output).toMatch(
		/…\/src\/pkg\/crew\.py:1: ModuleNotFoundError[^]*type `uv pip install --python \S+ not_there`/,
	);
	expect(output).not.toContain('would start');
	expect(code).toBe(1);
});
