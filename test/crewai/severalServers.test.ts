import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { startPostgres, type Postgres } from '../../sandbox/src/postgres';
import { deployApart } from '../crew-server/support/apart';
import { Client } from '../crew-server/support/client';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python } from './support/deployment';
import { isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let postgres: Postgres;
beforeEach(async () => {
	model = await startScriptedModel(() => ({ tool: 'slow' }));
	postgres = await startPostgres();
});
afterEach(async () => {
	await postgres.stop();
	await model.close();
});

it('leaves no process running if a server freezes and another one takes over', async () => {
	const copy = copyProject('workshop', { ...model.env, WORKSHOP_PASSWORD: 'not-needed-here' });
	const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
	const options = {
		crew: copy.folder,
		project: { python },
		database: { url, deployment: 'workshop' },
	};
	const still = await deployApart(options);
	const kickoffId = await new Client(still.crew).kickoff({ inputs: { tool: 'slow' } });
	const [child = 0, , ...others] = await slowProcesses(copy.folder);
	const next = await deployApart(options);
	still.child.kill('SIGSTOP');
	model.script = () => (isAlive(child) ? { status: 500 } : 'All is well');
	const ended = await until(async () => {
		const { body } = await new Client(next.crew).get(`/${kickoffId}/status`);
		return body['status'] === 'completed' && body;
	}, PATIENCE);
	expect(ended).toMatchObject({ result: { output: 'All is well' } });
	await until(() => ![child, ...others].some(isAlive), PATIENCE);
	const { length: asked } = model.asked;
	still.child.kill('SIGCONT');
	const client = new Client(still.crew);
	expect(await client.untilStatus(kickoffId, 'completed')).toEqual(ended);
	expect(model.asked).toHaveLength(asked);
	await Promise.all([still.kill(), next.kill()]);
	copy.remove();
});

it('hands an execution over when its task has ended, calls the model for nothing twice, and writes to the shared folder', async () => {
	const copy = copyProject('tea_guide', model.env);
	const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
	const options = {
		crew: copy.folder,
		project: { python, sharedStorage: join(copy.folder, 'shared') },
		database: { url, deployment: 'tea' },
	};
	let answer: (text: string) => void = () => undefined;
	model.script = () => new Promise<string>((resolve) => (answer = resolve));
	const first = await startCrewServer(options);
	const kickoffId = await new Client(first).kickoff({ inputs: { topic: 'Tea', audience: 'all' } });
	await until(() => model.asked.length === 1, PATIENCE);
	const next = await startCrewServer(options);
	const ready = async ({ url: base }: typeof first) => (await fetch(`${base}/ready`)).status;
	expect([await ready(first), await ready(next)]).toEqual([200, 200]);
	const drained = first.drain(PATIENCE);
	expect([await ready(first), await ready(next)]).toEqual([503, 200]);
	answer('Leaves');
	await drained;
	await first.close();
	await until(() => model.asked.length === 2, PATIENCE);
	answer('A guide to leaves');
	const ended = await new Client(next).untilStatus(kickoffId, 'completed');
	expect(ended).toMatchObject({ result: { output: 'A guide to leaves' } });
	expect(model.asked).toHaveLength(2);
	const report = join(copy.folder, 'shared', 'files', 'report.md');
	expect(readFileSync(report, 'utf8')).toBe('A guide to leaves');
	expect(existsSync(join(copy.folder, 'report.md'))).toBe(false);
	await next.close();
	copy.remove();
});
