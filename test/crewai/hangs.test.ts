import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from '../crew-server/support/client';
import { Command } from '../crew-server/support/command';
import { until } from '../crew-server/support/until';
import { copyProject, PATIENCE, python, type ProjectCopy } from './support/deployment';
import { hostsOf, isAlive, slowProcesses } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** A host that hangs while it runs an execution. */

const FOR_EVER = 'import time\n\ntime.sleep(600)\n';
const TOKEN = 'token-of-the-organisation';

let model: ScriptedModel;
let copy: ProjectCopy;
let command: Command;
let client: Client;
let stopped: number[];
beforeEach(async () => {
	model = await startScriptedModel(() => ({ tool: 'slow' }));
	copy = copyProject('workshop', { ...model.env, WORKSHOP_PASSWORD: 'not-needed-here' });
	const options = ['--no-data', '--port', '0', '--token', TOKEN, '--log', 'json'];
	command = new Command([copy.folder, '--python', python, ...options]);
	const url = await command.said(/"url":"([^"]+)"/, PATIENCE);
	client = new Client({ url, accessToken: TOKEN });
	await client.kickoff({ inputs: { tool: 'slow' } });
	stopped = await slowProcesses(copy.folder);
	process.kill(stopped[1]!, 'SIGSTOP');
});
afterEach(async () => {
	command.kill('SIGKILL');
	await command.ended;
	copy.remove();
	await model.close();
});

async function shutsDown(): Promise<void> {
	const before = Date.now();
	command.kill('SIGTERM');
	expect(await command.ended).toBe(0);
	expect(Date.now() - before).toBeLessThan(5_000);
	expect(stopped.filter(isAlive)).toEqual([]);
}

it('shuts down, and leaves none of its processes behind', shutsDown);

it('says that its host hangs, that nothing can run, and at which line the next host is stuck', async () => {
	const file = join(copy.folder, 'src', 'workshop', 'crew.py');
	writeFileSync(file, FOR_EVER + readFileSync(file, 'utf8'));
	await command.said(/"level":"error".*"msg":"(host_hangs)"/, PATIENCE);
	await until(() => !stopped.some(isAlive), PATIENCE);
	await until(async () => (await client.get('/health')).status === 503, PATIENCE);
	expect((await client.get('/health')).body).toEqual({
		status: 'unhealthy',
		reason: "The crew's Python process has ended, and has not started again yet",
	});
	expect(await client.post('/kickoff', { inputs: { tool: 'slow' } })).toMatchObject({
		status: 503,
	});
	const at = await command.said(/"at":"(.*)","msg":"still_importing"/, PATIENCE);
	expect(at.replaceAll('\\', '')).toBe(`File "${file}", line 3 in <module>`);
	stopped = hostsOf(command.pid);
	expect(stopped).toHaveLength(1);
	await shutsDown();
});
