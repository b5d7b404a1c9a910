import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { CrewServerOptions } from '../../crew-server/src';
import { memoryOf } from '../../crew-server/src/worker/crewai/memory';
import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, python, type Deployment } from './support/deployment';
import { isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** What an execution may take, with the processes that its tools have started. */

let model: ScriptedModel;
let deployment: Deployment | undefined;
beforeEach(async () => {
	model = await startScriptedModel();
});
afterEach(async () => {
	await deployment?.close();
	deployment = undefined;
	await model.close();
});

/** @param error of an execution whose processes are to end */
async function endsWith(error: RegExp, tool: string, project: CrewServerOptions['project']) {
	model.script = () => ({ tool });
	const env = { WORKSHOP_PASSWORD: 'not-needed-here' };
	deployment = await deploy('workshop', model, { project }, env);
	const kickoffId = await deployment.client.kickoff({ inputs: { tool } });
	const [child = 0, , ...others] = await slowProcesses(deployment.folder);
	expect(await deployment.ended(kickoffId)).toMatchObject({
		status: 'error',
		error: expect.stringMatching(error) as string,
	});
	await until(() => ![child, ...others].some(isAlive), PATIENCE);
}

it('ends an execution whose processes hold more than --memory-limit allows', async () => {
	const error = /Its processes use \d{3} MB, and --memory-limit allows 200/;
	await endsWith(error, 'hoards', { memoryLimit: 200 });
});

it('ends an execution whose models take more tokens than --max-tokens allows', async () => {
	const error = /It used 30 tokens, and --max-tokens allows 20/;
	await endsWith(error, 'starts', { maxTokens: 20 });
});

it('counts nothing that a process shares with the host that it was forked from', async () => {
	const host = spawn(python, ['-c', FORKS]);
	const [line] = (await once(host.stdout, 'data')) as [Buffer];
	const child = Number(line);
	expect(await memoryOf(child)).toBeGreaterThan(100_000);
	expect(await memoryOf(child)).toBeLessThan(50_000_000);
	process.kill(child, 'SIGKILL');
	host.kill('SIGKILL');
	await once(host, 'close');
});

const FORKS = `import os, time

held = b"x" * 200_000_000
child = os.fork()
if child:
    print(child, flush=True)
time.sleep(600)
`;
