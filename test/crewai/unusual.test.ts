import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../crew-server/support/until';
import { deploy, PATIENCE } from './support/deployment';
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
