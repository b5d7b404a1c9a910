import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** A flow whose first method returns something that cannot be stored. */
const UNKEPT = `import os
from threading import Lock

from crewai import LLM
from crewai.flow.flow import Flow, listen, start


class Locked(Flow):
    @start()
    def ask(self) -> Lock:
        LLM(model=os.environ["MODEL"]).call("First?")
        return Lock()

    @listen(ask)
    def close(self, lock: Lock) -> str:
        with lock:
            return LLM(model=os.environ["MODEL"]).call("Second?")
`;

let model: ScriptedModel;
beforeEach(async () => {
	model = await startScriptedModel();
});
afterEach(() => model.close());

it('hands a flow over when a method ends, including tasks of an inner crew', async () => {
	const copy = copyProject('voyage', model.env);
	const options = {
		crew: copy.folder,
		project: { python },
		dataFolder: join(copy.folder, 'data'),
	};
	const log = () => readFileSync(join(copy.folder, 'log.txt'), 'utf8').trim().split('\n');
	let answer: () => void = () => undefined;
	const isAllowed = new Promise<void>((resolve) => (answer = resolve));
	model.script = async () => await isAllowed.then(() => 'Told');
	const first = await startCrewServer(options);
	const kickoffId = await new Client(first).kickoff({ inputs: {} });
	await until(() => model.asked.length === 1, PATIENCE);
	const drained = first.drain(PATIENCE);
	answer();
	await drained;
	await first.close();
	expect(log()).not.toContain('end');
	expect(model.asked).toHaveLength(3);
	const next = await startCrewServer(options);
	await until(async () => {
		const { body } = await new Client(next).get(`/${kickoffId}/status`);
		return body['status'] === 'completed';
	}, PATIENCE);
	expect(log().filter((line) => line === 'end')).toHaveLength(1);
	expect(new Set(log()).size).toBe(log().length);
	expect(model.asked).toHaveLength(3);
	await next.close();
	copy.remove();
});

it('waits for a flow that nobody else can continue', async () => {
	const copy = copyProject({ 'main.py': UNKEPT }, model.env);
	const crew = await startCrewServer({ crew: copy.folder, project: { python } });
	let answer: () => void = () => undefined;
	const isAllowed = new Promise<void>((resolve) => (answer = resolve));
	model.script = async () => await isAllowed.then(() => 'An answer');
	const kickoffId = await new Client(crew).kickoff({ inputs: {} });
	await until(() => model.asked.length === 1, PATIENCE);
	const drained = crew.drain(PATIENCE);
	answer();
	await drained;
	expect((await new Client(crew).get(`/${kickoffId}/status`)).body).toMatchObject({
		status: 'completed',
		result: { output: 'An answer' },
	});
	expect(model.asked).toHaveLength(2);
	await crew.close();
	copy.remove();
});
