import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { Client } from '../crew-server/support/client';
import { copyProject, python } from './support/deployment';
import { answer, pauseOrEnd } from './support/questions';
import { startScriptedModel } from './support/scriptedModel';

/** @param fields of the structured output, in Python */
const crew = (isAsked: boolean, fields: string) => `from crewai import Agent, Crew, Task
from pydantic import BaseModel

class Note(BaseModel):
    text: str
${fields}
clerk = Agent(role="Clerk", goal="Note", backstory="Old")
note = Task(name="note", description="Note it", expected_output="A note", agent=clerk,
            human_input=${isAsked ? 'True' : 'False'}, response_model=Note)
file = Task(name="file", description="File it", expected_output="A text", agent=clerk)
crew = Crew(agents=[clerk], tasks=[note, file])
`;

it('keeps an output and its answer if the project changes while a person is asked', async () => {
	const model = await startScriptedModel();
	model.structure = () => ({ text: 'Rain' });
	const copy = copyProject({ 'crew.py': crew(true, '') }, model.env);
	const options = {
		crew: copy.folder,
		project: { python },
		dataFolder: join(copy.folder, 'data'),
	};
	let server: CrewServer | undefined;
	try {
		server = await startCrewServer(options);
		const id = await new Client(server).kickoff({ inputs: {} });
		const asks = await pauseOrEnd(new Client(server), id);
		expect(asks).toMatchObject({ status: 'pending_human_input', task_id: 'note' });
		await server.close();
		writeFileSync(join(copy.folder, 'crew.py'), crew(false, '    mood: str\n'));
		server = await startCrewServer(options);
		await answer(new Client(server), id, 'note', true, 'Keep it short');
		expect(await pauseOrEnd(new Client(server), id)).toMatchObject({
			status: 'completed',
			result: { tasks: [{ task_id: 'note', output: asks['task_output'] }, { task_id: 'file' }] },
		});
		expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('Keep it short');
	} finally {
		await server?.close();
		await model.close();
		copy.remove();
	}
});
