import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { startCrewaiEngine } from '../../crew-server/src/worker/crewai/crewaiEngine';
import type { Change } from '../../crew-server/src/domain/draft';
import { kickoff } from '../../crew-server/src/domain/kickoff';
import { noLog } from '../../crew-server/src/log';
import type { Report } from '../../crew-server/src/domain/messages';
import { transition } from '../../crew-server/src/domain/transition';
import type { Run } from '../../crew-server/src/worker/engine';
import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, deploy, PATIENCE, python } from './support/deployment';
import { isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
beforeEach(async () => {
	model = await startScriptedModel();
});
afterEach(() => model.close());

it('continues only once the store has what was done, and reports everything in order', async () => {
	const copy = copyProject('tea_guide', model.env);
	const engine = await startCrewaiEngine({
		folder: copy.folder,
		python,
		withheld: [],
		outputLimit: 1_000_000,
		log: noLog,
	});
	const told: string[] = [];
	let write: () => void = () => undefined;
	const order = {
		kickoffId: 'a',
		taskUuids: [],
		owner: 'user',
		inputs: { topic: 'Tea', audience: 'all' },
		callbacks: {},
	} as const;
	let { execution }: Pick<Change, 'execution'> = kickoff(engine.crew, order, 0);
	const take = async (report: Report) => {
		if (report.type === 'checkpoint' || report.type === 'event') return;
		told.push('taskId' in report ? `${report.type} ${report.taskId}` : report.type);
		if (!report.type.endsWith('_done')) return;
		await new Promise<void>((resolve) => {
			write = resolve;
		});
	};
	const run: Run = {
		get execution() {
			return execution;
		},
		report: async (...reports) => {
			for (const report of reports) {
				await take(report);
				execution = transition(execution, report, 0)?.execution ?? execution;
			}
			return true;
		},
		explain: () => undefined,
		printed: () => undefined,
		yieldSlot: () => undefined,
		regainSlot: () => Promise.resolve(),
	};
	const work = engine.begin(run);
	const ofTask = (id: string, ...files: string[]) => [
		...[`task_begun ${id}`, 'tokens', 'step'],
		...[...files, `task_done ${id}`],
	];

	await until(() => told.includes('task_done research_task'), PATIENCE);
	// Long enough for the second task to call the model, if it did not wait.
	await new Promise((resolve) => setTimeout(resolve, 500));
	expect(told).toEqual(ofTask('research_task'));
	expect(model.asked).toHaveLength(1);
	write();
	await until(() => told.includes('task_done writing_task'), PATIENCE);
	write();
	await until(() => told.includes('crew_done'), PATIENCE);
	let isFinished = false;
	void work.finished.then(() => (isFinished = true));
	// Long enough for the process to end, if it did not wait.
	await new Promise((resolve) => setTimeout(resolve, 500));
	expect(isFinished).toBe(false);
	const written = ofTask('writing_task', 'file_written');
	expect(told).toEqual([...ofTask('research_task'), ...written, 'crew_done']);
	write();
	await work.finished;
	await engine.close();
	copy.remove();
});

it('makes others wait in order if --parallel allows no more, and stops waiting ones', async () => {
	const release: Array<() => void> = [];
	model.script = () =>
		new Promise((resolve) =>
			release.push(() => {
				resolve('Done');
			}),
		);
	const deployment = await deploy('json_guide', model, {
		project: { parallel: 1 },
		aspects: { statusBody: 'both' },
	});
	const { client } = deployment;
	const kickoff = (city: string) => client.kickoff({ inputs: { city } });
	const state = async (id: string) => (await client.get(`/${id}/status`)).body['state'];
	const [first, second, third] = [await kickoff('A'), await kickoff('B'), await kickoff('C')];
	await until(() => release.length === 1, PATIENCE);
	expect([await state(first), await state(second), await state(third)]).toEqual([
		'STARTED',
		'PENDING',
		'PENDING',
	]);
	expect((await client.post(`/stop/${second}`)).status).toBe(200);
	expect(await state(second)).toBe('REVOKED');
	model.script = () => 'Done';
	for (const one of release) one();
	expect(await deployment.ended(first)).toMatchObject({ status: 'completed' });
	expect(await deployment.ended(third)).toMatchObject({ status: 'completed' });
	const cities = model.asked.map(
		({ messages }) => /walk through (\w)/.exec(JSON.stringify(messages))?.[1],
	);
	expect(cities.filter((city) => city !== undefined)).toEqual(['A', 'C']);
	await deployment.close();
});

const SLOW = { kickoff: { tool: 'slow' }, env: { WORKSHOP_PASSWORD: 'not-needed-here' } };

it('leaves no process and no file behind if the server is killed, and continues the execution at its running task', async () => {
	model.script = () => ({ tool: 'slow' });
	const copy = copyProject('workshop', { ...model.env, ...SLOW.env });
	const temporary = mkdtempSync(join(tmpdir(), 'crew-killed-'));
	const data = join(copy.folder, 'data');
	const options = { crew: copy.folder, project: { python }, dataFolder: data };
	let apart = await deployApart(options, { TMPDIR: temporary });
	const kickoffId = await new Client(apart.crew).kickoff({ inputs: SLOW.kickoff });
	const ours = () => readdirSync(temporary).filter((name) => name.startsWith('crew-'));
	for (let begun = 1; begun <= 3; begun++) {
		const pids = await slowProcesses(copy.folder);
		expect(pids.map(isAlive)).toEqual([true, true, true, true]);
		expect(model.asked).toHaveLength(begun);
		await apart.kill();
		await until(() => !pids.some(isAlive) && ours().length === 0, PATIENCE);
		apart = await deployApart(options, { TMPDIR: temporary });
	}
	// Twice is enough: each time costs calls of the model.
	const body = await new Client(apart.crew).untilStatus(kickoffId, 'error');
	expect(body).toMatchObject({
		status: 'error',
		error: expect.stringContaining('The task work_task was cut off 3 times') as string,
	});
	expect(model.asked).toHaveLength(3);
	await apart.kill();
	copy.remove();
	rmSync(temporary, { recursive: true });
});

it('continues with a new host if the host has died twice, and ends what the old one had started', async () => {
	model.script = () => ({ tool: 'slow' });
	const deployment = await deploy('workshop', model, {}, SLOW.env);
	const kickoffId = await deployment.client.kickoff({ inputs: SLOW.kickoff });
	const left: number[] = [];
	for (let killed = 1; killed <= 2; killed++) {
		const [child = 0, host = 0, ...others] = await slowProcesses(deployment.folder);
		left.push(child, ...others);
		if (killed === 2) model.script = () => 'All is well';
		process.kill(host, 'SIGKILL');
	}
	expect(await deployment.ended(kickoffId)).toMatchObject({ status: 'completed' });
	expect(model.asked).toHaveLength(3);
	expect(left.filter(isAlive)).toEqual([]);
	await deployment.close();
});

it('keeps nothing of ended children in memory while their host lives', async () => {
	const copy = copyProject('tea_guide', model.env);
	const script = join(__dirname, 'support', 'endedChildren.ts');
	const execArgv = ['--expose-gc', '--import', 'tsx'];
	const measuring = fork(script, [copy.folder, python], { execArgv });
	const [held] = (await Promise.race([
		once(measuring, 'message'),
		once(measuring, 'exit').then(([code]) => {
			throw new Error(`The measuring process ended with ${code as number} and said nothing`);
		}),
	])) as [number];
	expect(held).toBe(0);
	copy.remove();
});

it('continues an execution after the server was closed, before new ones, and skips what is done', async () => {
	const copy = copyProject('tea_guide', model.env);
	const options = {
		crew: copy.folder,
		project: { python, parallel: 1 },
		dataFolder: join(copy.folder, 'data'),
	};
	const first = await startCrewServer(options);
	model.script = () => (model.asked.length === 1 ? 'Answer 1' : undefined);
	const client = new Client(first);
	const running = await client.kickoff({ inputs: { topic: 'Tea', audience: 'all' } });
	const waiting = await client.kickoff({ inputs: { topic: 'Milk', audience: 'all' } });
	await until(() => model.asked.length === 2, PATIENCE);
	await first.close();

	model.script = () => `Answer ${model.asked.length}`;
	const second = await startCrewServer(options);
	const execution = async (id: string) =>
		(await second.executions()).find((one) => one.kickoffId === id);
	await until(async () => (await execution(waiting))?.state === 'completed', PATIENCE);
	expect(await execution(running)).toMatchObject({
		state: 'completed',
		tasks: [
			{ output: 'Answer 1', attempts: 1 },
			{ output: 'Answer 3', attempts: 1 },
		],
	});
	const asked = model.asked.map(({ messages }) => JSON.stringify(messages));
	expect(asked.map((text) => text.includes('Milk'))).toEqual([false, false, false, true, true]);
	expect(asked[2]).toContain('Answer 1');
	await second.close();
	copy.remove();
});

it('fails an execution whose project has other tasks now', async () => {
	const copy = copyProject('tea_guide', model.env);
	const options = {
		crew: copy.folder,
		project: { python },
		dataFolder: join(copy.folder, 'data'),
	};
	const first = await startCrewServer(options);
	model.script = () => (model.asked.length === 1 ? 'Answer 1' : undefined);
	await new Client(first).kickoff({ inputs: { topic: 'Tea', audience: 'all' } });
	await until(() => model.asked.length === 2, PATIENCE);
	await first.close();
	const source = join(copy.folder, 'src', 'tea_guide', 'crew.py');
	const text = readFileSync(source, 'utf8').replace('def writing_task', 'def telling_task');
	writeFileSync(
		source,
		text.replace('config["writing_task"]', 'config["writing_task"], name="telling"'),
	);
	const second = await startCrewServer(options);
	const failed = await until(async () => {
		const [execution] = await second.executions();
		return execution?.state === 'failed' && execution;
	}, PATIENCE);
	expect(failed.error).toMatch(
		/The project has changed since .*: its tasks were research_task, writing_task, and are now research_task, telling/,
	);
	expect(model.asked).toHaveLength(2);
	await second.close();
	copy.remove();
});

const HELPED = `import subprocess
from crewai.flow.flow import Flow, start

helper = subprocess.Popen(["sleep", "600"], start_new_session=True)

class Helped(Flow):
    @start()
    def tell(self):
        return str(helper.pid)
`;

it('lets processes that the project’s import has started live as long as its host', async () => {
	const deployment = await deploy({ 'crew.py': HELPED }, model);
	const helper = async () => {
		const { result } = (await deployment.run({})) as { result: { output: string } };
		return Number(result.output);
	};
	const first = await helper();
	expect(await helper()).toBe(first);
	expect(isAlive(first)).toBe(true);
	await deployment.close();
	expect(isAlive(first)).toBe(false);
});
