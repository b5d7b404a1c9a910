import { deploy } from './support/deployment';
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
