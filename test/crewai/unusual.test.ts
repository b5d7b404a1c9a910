import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { until } from '../crew-server/support/until';
import { deploy, PATIENCE } from './support/deployment';
import { hostsOf } from './support/processes';
import { answer, pauseOrEnd } from './support/questions';
import { block, IMPORT, MAKE } from './support/shapes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel(() => 'A text');
});
afterAll(() => model.close());

const FLOW = `from typing import Any

from crewai.flow.flow import Flow, listen, start
from pydantic import BaseModel, PrivateAttr
${IMPORT}

class State(BaseModel):
    topic: str = "tea"
    result: Any = None
    _notes: list = PrivateAttr(default_factory=list)


class Notes(Flow[State]):
    @start()
    def write(self):
${block(MAKE, 2)}        self.state.result = crew.kickoff(inputs={"topic": self.state.topic})
        self.state._notes.append("noted")

    @listen(write)
    def read(self):
        return [self.state.result.raw, type(self.state.result).__name__, *self.state._notes]
`;

it('leaves a running flow its state, even if that is more than data', async () => {
	const deployment = await deploy({ 'src/pkg/main.py': FLOW }, model);
	expect(await deployment.run({ topic: 'milk' })).toMatchObject({
		status: 'completed',
		result: { output: '["A text", "CrewOutput", "noted"]' },
	});
	await deployment.close();
});

const NOTING = `import signal
import time

${IMPORT}
LOG = open("log.txt", "a")
LOG.write("imported, ")


def wake(*_):
    raise TimeoutError("in time, ")


def note(output):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        time.sleep(10)
    except TimeoutError as error:
        LOG.write(f"{output.raw} {error}")


signal.signal(signal.SIGALRM, wake)
${block([...MAKE, 'crew.task_callback = note'], 0)}`;

it('keeps a signal handler, and writes what open files hold at the end', async () => {
	const deployment = await deploy({ 'crew.py': NOTING }, model);
	const log = () => readFileSync(join(deployment.folder, 'log.txt'), 'utf8');
	await deployment.run({ topic: 'milk' });
	await deployment.run({ topic: 'tea' });
	await until(() => log().endsWith('imported, A text in time, A text in time, '), PATIENCE);
	await deployment.close();
});

const TIMED = `import atexit
import shutil
import tempfile
import time
from pathlib import Path

from crewai.flow.flow import Flow, start

BEGAN = time.time()
FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER)


class Timed(Flow):
    @start()
    def tell(self):
        (FOLDER / "note.txt").write_text("noted")
        return {"began": BEGAN, "folder": str(FOLDER)}
`;

it('imports a project for each execution if that reads the clock, or says what to do at the end', async () => {
	const deployment = await deploy({ 'src/pkg/main.py': TIMED }, model);
	expect(deployment.crew.crew.warnings).toContainEqual(
		expect.stringContaining(
			'(src/pkg/main.py:9 reads the clock, src/pkg/main.py:11 registers what to do at the end)',
		),
	);
	const run = async () => {
		const { result } = (await deployment.run({})) as { result: { output: string } };
		return JSON.parse(result.output) as { began: number; folder: string };
	};
	const first = await run();
	// By then, the next process is waiting.
	await setTimeout(10_000);
	const kickedOff = Date.now() / 1_000;
	const second = await run();
	expect(second.folder).not.toBe(first.folder);
	expect(second.began).toBeGreaterThan(kickedOff);
	await deployment.close();
});

const STRUCTURED = `from pydantic import BaseModel, ConfigDict, Field, computed_field
${IMPORT}

class Part(BaseModel):
    kind: str = Field(alias="theKind")


class Review(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str = Field(alias="theTitle")
    parts: list[Part]

    @computed_field
    @property
    def length(self) -> int:
        return len(self.title)


def note(output):
    with open("called.txt", "a") as file:
        file.write(f"{output.pydantic!r}\\n")


writer = Agent(role="Writer", goal="Write", backstory="Old")
review = Task(name="review", description="Review {topic}", expected_output="A review", agent=writer, output_pydantic=Review, human_input=True)
text = Task(name="text", description="Sum it up", expected_output="A text", agent=writer, callback=lambda _: note(review.output))
crew = Crew(agents=[writer], tasks=[review, text])
`;

it('continues after a structured output with aliases and computed fields', async () => {
	const deployment = await deploy({ 'crew.py': STRUCTURED }, model);
	model.asked.length = 0;
	model.structure = () => ({ theTitle: 'Tea', parts: [{ theKind: 'green' }] });
	model.script = () => undefined;
	const { client } = deployment;
	const kickoffId = await client.kickoff();
	await pauseOrEnd(client, kickoffId);
	await answer(client, kickoffId, 'review', true);
	await until(() => model.asked.length === 2, PATIENCE);
	model.script = () => 'A text';
	for (const pid of hostsOf()) process.kill(pid, 'SIGKILL');
	expect(await deployment.ended(kickoffId)).toMatchObject({ status: 'completed' });
	expect(readFileSync(join(deployment.folder, 'called.txt'), 'utf8')).toBe(
		"Review(title='Tea', parts=[Part(kind='green')], length=3)\n",
	);
	await deployment.close();
});
