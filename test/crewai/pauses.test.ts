import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart, type Apart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python, type ProjectCopy } from './support/deployment';
import { hostsOf } from './support/processes';
import { answer, pauseOrEnd, statusWhen } from './support/questions';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** A crew that asks after its first task, and whose process takes its time to end, or to say that it waits. */
const PROJECT = `import atexit, os, time, traceback
from pathlib import Path

from crewai import Agent, Crew, Task
from crewai.events import crewai_event_bus


def note(text):
    with Path("log.txt").open("a") as file:
        file.write(f"{text}\\n")


def end_slowly():
    time.sleep(4)
    note("left")


def begin(inputs):
    note("begun")
    atexit.register(end_slowly)
    if os.environ.get("HOLDS") and not Path("held.txt").exists():
        flush = crewai_event_bus.flush

        def flush_slowly(*given, **named):
            # The server has the question by then, and has not heard that nothing else is worked on.
            if any(frame.name == "_leave" for frame in traceback.extract_stack()):
                Path("held.txt").write_text(str(os.getpid()))
                time.sleep(600)
            return flush(*given, **named)

        crewai_event_bus.flush = flush_slowly
    return inputs


def crew() -> Crew:
    clerk = Agent(role="Clerk", goal="Take notes", backstory="You take notes.")
    draft = Task(name="draft", description="Draft", expected_output="A text", agent=clerk, human_input=True)
    publish = Task(name="publish", description="Publish", expected_output="A text", agent=clerk)
    return Crew(agents=[clerk], tasks=[draft, publish], before_kickoff_callbacks=[begin])
`;

let model: ScriptedModel;
let copy: ProjectCopy | undefined;
let apart: Apart | undefined;
beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
	model.asked.length = 0;
	model.script = () => 'A text';
});
afterEach(async () => {
	await apart?.kill();
	copy?.remove();
});

const log = () =>
	readFileSync(join(copy?.folder ?? '', 'log.txt'), 'utf8')
		.trim()
		.split('\n');

async function kickOffApart(env: Record<string, string> = {}) {
	copy = copyProject({ 'main.py': PROJECT }, { ...model.env, ...env });
	const { folder } = copy;
	const options = {
		crew: folder,
		project: { python, parallel: 1 },
		dataFolder: join(folder, 'data'),
	};
	const deploy = async () => (apart = await deployApart(options));
	const client = new Client((await deploy()).crew);
	return { client, deploy, kickoffId: await client.kickoff({ inputs: {} }) };
}

it('continues with an answer while the process that asked is still ending, with --parallel 1', async () => {
	const { client, kickoffId } = await kickOffApart();
	let seen: string[] = [];
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({ task_id: 'draft' });
	model.script = () => {
		seen = log();
		return 'Published';
	};
	await answer(client, kickoffId, 'draft', true);
	expect(await pauseOrEnd(client, kickoffId)).toMatchObject({ status: 'completed' });
	expect(seen).toEqual(['begun', 'begun']);
	await until(() => log().filter((line) => line === 'left').length === 2, PATIENCE);
});

it.each(['server', 'host', 'child'])(
	'waits for the answer, and begins nothing before it, if its %s is killed behind the question',
	async (what) => {
		const { client: first, deploy, kickoffId } = await kickOffApart({ HOLDS: 'yes' });
		let client = first;
		const held = join(copy?.folder ?? '', 'held.txt');
		const pid = () => (existsSync(held) ? Number(readFileSync(held, 'utf8')) : 0);
		await until(() => pid() > 0, PATIENCE);
		if (what === 'server') {
			await apart?.kill();
			client = new Client((await deploy()).crew);
		} else {
			for (const one of what === 'host' ? hostsOf(apart?.child.pid) : [pid()]) {
				process.kill(one, 'SIGKILL');
			}
		}
		await until(() => !existsSync(`/proc/${pid()}`), PATIENCE);
		// The only slot is free.
		const other = await client.kickoff({ inputs: {} });
		await statusWhen(client, other, ({ task_id: asked }) => asked === 'draft');
		expect(log()).toEqual(['begun', 'begun']);
		expect(model.asked).toHaveLength(2);
		await answer(client, kickoffId, 'draft', true);
		expect(await pauseOrEnd(client, kickoffId)).toMatchObject({
			status: 'completed',
			result: { tasks: [{ task_id: 'draft' }, { task_id: 'publish' }] },
		});
		expect(model.asked).toHaveLength(3);
	},
);
