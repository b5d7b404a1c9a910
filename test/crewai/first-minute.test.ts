import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { repositoryFolder } from '../../sandbox/src/paths';
import { Command } from '../crew-server/support/command';
import { until } from '../crew-server/support/until';
import { PATIENCE, python } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** What people see when they first start the server on a project. */

/** The command itself, since npm does not pass signals on. */
const { scripts } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
	scripts: { crew: string };
};

const KEY = `sk-proj-${'0123456789'.repeat(16)}`;

const CREW = `import logging
import os

from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task

print("imported, with", os.environ["OVEN_KEY"])
logging.basicConfig(level=logging.WARNING)


def tell(output):
    print("the answer is", output.raw, "and the key", os.environ["OVEN_KEY"])
    logging.getLogger("mine").warning("logged")
    os.system("echo from another program")
    if "fail" in output.description:
        raise ValueError("my own bug")


@CrewBase
class Letters:
    agents_config = {}
    tasks_config = {}

    @agent
    def clerk(self) -> Agent:
        return Agent(role="Clerk", goal="Write", backstory="You write.", llm=os.environ["MODEL"])

    @task
    def letter_task(self) -> Task:
        return Task(
            description="Write about {topic} with ${KEY}",
            expected_output="A letter",
            agent=self.clerk(),
            callback=tell,
        )

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, verbose=True)
`;

let model: ScriptedModel;
let folder: string;
let command: Command;
beforeAll(async () => {
	model = await startScriptedModel();
	model.script = () => 'Dear reader';
	folder = mkdtempSync(join(tmpdir(), 'crew-minute-'));
	const env = Object.entries({ ...model.env, OVEN_KEY: KEY });
	const files = {
		'src/letters/crew.py': CREW,
		'.env': env.map(([name, value]) => `${name}=${value}\n`).join(''),
	};
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	const options = ['--port', '0', '--no-data', '--log-level', 'debug'];
	command = new Command([folder, '--python', python, ...options], {
		program: [process.execPath, ...scripts.crew.split(' ').slice(1)],
	});
	await command.said(/Ctrl-C/, PATIENCE);
});
afterAll(async () => {
	command.kill('SIGTERM');
	await command.ended;
	rmSync(folder, { recursive: true });
	await model.close();
});

const shell = async (line: string) => (await promisify(execFile)('bash', ['-c', line])).stdout;

/** Does what is printed: starts the crew, and looks until it has ended. @returns the ID and the last answer */
async function follow(topic: string): Promise<{ id: string; answer: Record<string, unknown> }> {
	const [kickoff = '', status = ''] = [...command.output.matchAll(/^ +(curl .*)$/gm)].map(
		([, line = '']) => line,
	);
	const started = await shell(kickoff.replace('your topic', topic));
	const { kickoff_id: id } = JSON.parse(started) as { kickoff_id: string };
	const look = status.replace('KICKOFF_ID', id);
	const answer = await until(async () => {
		const body = JSON.parse(await shell(look)) as Record<string, unknown>;
		return ['completed', 'error'].includes(String(body['status'])) && body;
	}, PATIENCE);
	return { id, answer };
}

it('leads from `npm run crew -- project` to a first result with the printed commands, and shows what the project prints', async () => {
	const { id, answer } = await follow('tea');
	expect(JSON.stringify(answer)).toContain('Dear reader');
	const marked = `info  printed kickoff_id=${id} text=`;
	const said = async (text: string) => await until(() => command.output.includes(text));
	expect(command.output).toContain('info  printed text=imported, with [secret]\n');
	await said(`${marked}the answer is Dear reader and the key [secret]\n`);
	await said(`${marked}WARNING:mine:logged\n`);
	await said(`${marked}from another program\n`);
	// What CrewAI draws with `verbose`.
	await said(`${marked}Agent: Clerk\n`);
	await said(`${marked}Task: Write about tea with [secret]\n`);
	expect(command.output).not.toMatch(/0123456789|─/);
});

it('says why a crew has failed: type, file and line, and the traceback at the level `debug`', async () => {
	const { id, answer } = await follow('how to fail');
	expect(answer['error']).toBe('my own bug');
	expect(command.output).toMatch(
		new RegExp(
			`error crew_kickoff_failed kickoff_id=${id} reason=ValueError: my own bug \\(src/letters/crew\\.py:16\\)\n`,
		),
	);
	expect(command.output).toMatch(
		new RegExp(`debug traceback kickoff_id=${id} traceback=Traceback .*raise ValueError`),
	);
});
