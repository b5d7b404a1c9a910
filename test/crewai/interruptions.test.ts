import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { deployApart, type Apart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python, type ProjectCopy } from './support/deployment';
import { childrenOfHosts, hostsOf, isAlive } from './support/processes';
import { answer, pauseOrEnd } from './support/questions';
import { startScriptedModel, type Saying, type ScriptedModel } from './support/scriptedModel';

/** A tool that records who it has mailed with which key, and does not return while `hold` names them. */
const TOOL = `import time
from pathlib import Path
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, start
from crewai.tools import BaseTool
from crew_server import idempotency_key

def send(to):
    with open("sent.txt", "a") as sent:
        sent.write(f"{to} {idempotency_key()} {idempotency_key('letter', to)}\\n")
    while Path("hold").read_text() == to:
        time.sleep(0.02)

class Mail(BaseTool):
    name: str = "mail"
    description: str = "Sends a mail"

    def _run(self, to: str, text: str = "") -> str:
        send(to)
        return f"{to} has a mail."

clerk = Agent(role="Clerk", goal="Mail", backstory="Old", tools=[Mail(cache_function=lambda *_: False)])

def task(name):
    return Task(name=name, description=f"Mail those of {name}", expected_output="A text", agent=clerk)
`;
const CREW = `${TOOL}
crew = Crew(agents=[clerk], tasks=[task(name) for name in ("invite", "remind", "thank")])
`;
const FLOW = `${TOOL}
class Post(Flow):
    @start()
    def post(self):
        with open("sent.txt", "a") as sent:
            sent.write(f"flow {idempotency_key('flow')}\\n")
        return Crew(agents=[clerk], tasks=[task("invite")]).kickoff().raw
`;
const ON_INTERRUPT = '[tool.crew-server.on_interrupt]\nremind = "ask"\nthank = "fail"\n';

let model: ScriptedModel;
/** What the model says next; "Done" once that is said. */
let says: Saying[];
let copy: ProjectCopy;
let apart: Apart;
beforeAll(async () => {
	model = await startScriptedModel(() => says.shift() ?? 'Done');
});
afterAll(() => model.close());
afterEach(async () => {
	await apart.kill();
	copy.remove();
});

async function start(files: Record<string, string>): Promise<string> {
	copy = copyProject({ ...files, hold: '' }, model.env);
	apart = await deployApart(options());
	hold('Bob');
	return await client().kickoff({ inputs: {} });
}

const options = () => ({
	crew: copy.folder,
	project: { python },
	dataFolder: join(copy.folder, 'data'),
});
const client = () => new Client(apart.crew);
const mail = (to: string): Saying => ({ tool: 'mail', arguments: { to, text: 'Hi' } });

function hold(to: string): void {
	writeFileSync(join(copy.folder, 'hold'), to);
}

/** The sent mails, once there are that many: to whom, and with which keys. */
async function sent(count: number): Promise<string[]> {
	const lines = () => readFileSync(join(copy.folder, 'sent.txt'), 'utf8').trim().split('\n');
	return await until(() => {
		try {
			return lines().length === count && lines();
		} catch {
			return false;
		}
	}, PATIENCE);
}

/** Waits until the execution's process is gone, too. */
async function killHost(): Promise<void> {
	const children = childrenOfHosts(apart.child.pid);
	for (const pid of hostsOf(apart.child.pid)) process.kill(pid, 'SIGKILL');
	await until(() => !children.some(isAlive), PATIENCE);
}

it('a task that is cut off after the effect of a tool runs again, asks, or fails, with the same keys', async () => {
	says = [mail('Ann'), mail('Ann'), mail('Bob')];
	const id = await start({ 'crew.py': CREW, 'pyproject.toml': ON_INTERRUPT });
	const first = await sent(3);
	await killHost();
	// The model asks in another order. Then comes the next task.
	says = [mail('Bob'), mail('Ann'), mail('Ann'), 'Invited', mail('Cid')];
	hold('Cid');
	const [bob, ann, annAgain, cid] = (await sent(7)).slice(3);
	expect([ann, annAgain, bob]).toEqual(first);
	expect(new Set([ann, annAgain, bob]).size).toBe(3);

	await apart.kill();
	says = [mail('Cid'), 'Reminded', mail('Bob')];
	hold('Bob');
	apart = await deployApart(options());
	expect(await pauseOrEnd(client(), id)).toMatchObject({
		status: 'pending_human_input',
		task_id: 'remind',
		task_output: expect.stringContaining('The task remind was cut off') as string,
	});
	await answer(client(), id, 'remind', true, 'Cid has lost it');
	expect((await sent(9))[7]).toBe(cid);
	expect(JSON.stringify(model.asked.at(-2)?.messages)).toContain('Cid has lost it');
	// It is another task's mail, although with the same recipient and words.
	expect(bob).not.toBe((await sent(9))[8]);

	await killHost();
	expect(await pauseOrEnd(client(), id)).toMatchObject({
		status: 'error',
		error: expect.stringContaining('The task thank was cut off while it was running') as string,
	});
});

it('a method of a flow that is cut off runs again with the same keys, even in an inner crew', async () => {
	says = [mail('Bob')];
	const id = await start({ 'main.py': FLOW, 'pyproject.toml': '' });
	const first = await sent(2);
	await killHost();
	says = [mail('Bob')];
	hold('');
	expect((await sent(4)).slice(2)).toEqual(first);
	expect(await pauseOrEnd(client(), id)).toMatchObject({ status: 'completed' });
});
