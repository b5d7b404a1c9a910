import { join } from 'node:path';

import { Client } from '../crew-server/support/client';
import { Command } from '../crew-server/support/command';
import {
	installCrewServer,
	type InstalledCrewServer,
} from '../../sandbox/src/installed-crew-server';
import { copyProject, PATIENCE, python, type ProjectCopy } from './support/deployment';
import { childrenOfHosts, hostsOf, isAlive } from './support/processes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { until } from '../crew-server/support/until';

/** A real project on the package, which npm has installed elsewhere. */

let installed: InstalledCrewServer;
let model: ScriptedModel;
beforeAll(async () => {
	installed = await installCrewServer();
	model = await startScriptedModel();
}, 300_000);
afterAll(async () => {
	await model.close();
	installed.remove();
});

let copy: ProjectCopy;
let command: Command;
let client: Client;
beforeEach(async () => {
	model.asked.length = 0;
	copy = copyProject('tea_guide', model.env);
	const { program, folder } = installed;
	command = new Command([copy.folder, '--python', python, '--port', '0', '--token', 'my-token'], {
		program,
		folder,
		env: { XDG_STATE_HOME: join(copy.folder, 'state') },
	});
	client = new Client({ url: await command.said(/URL +(\S+)/, PATIENCE), accessToken: 'my-token' });
});
afterEach(async () => {
	command.kill('SIGKILL');
	await command.ended;
	copy.remove();
});

it('runs a CrewAI project', async () => {
	const { inputs } = (await client.get('/inputs')).body as { inputs: Array<{ name: string }> };
	const given = Object.fromEntries(inputs.map(({ name }) => [name, 'Tea']));
	const id = await client.kickoff({ inputs: given });
	const done = await until(async () => {
		const { body } = await client.get(`/${id}/status`);
		return body['status'] !== 'running' && body;
	}, PATIENCE);
	expect(done).toMatchObject({ status: 'completed' });
	expect(model.asked.length).toBeGreaterThan(0);
	command.kill('SIGTERM');
	expect(await command.ended).toBe(0);
});

it('ends cleanly within 5 s of SIGTERM while crews are running, with all their processes', async () => {
	model.script = () => undefined;
	const inputs = { topic: 'Tea', audience: 'all' };
	for (let count = 1; count <= 3; count++) await client.kickoff({ inputs });
	await until(() => model.asked.length === 3, PATIENCE);
	const processes = [...hostsOf(command.pid), ...childrenOfHosts(command.pid)];
	// A host, and a process for each execution at least.
	expect(processes.length).toBeGreaterThanOrEqual(4);

	const began = Date.now();
	command.kill('SIGTERM');
	expect(await command.ended).toBe(0);
	await until(() => !processes.some(isAlive), PATIENCE);
	expect(Date.now() - began).toBeLessThan(5_000);
});
