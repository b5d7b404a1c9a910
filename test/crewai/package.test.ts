import { join } from 'node:path';

import { Client } from '../crew-server/support/client';
import { Command } from '../crew-server/support/command';
import {
	installCrewServer,
	type InstalledCrewServer,
} from '../../sandbox/src/installed-crew-server';
import { copyProject, PATIENCE, python } from './support/deployment';
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

it('runs a CrewAI project', async () => {
	const copy = copyProject('tea_guide', model.env);
	const { program, folder } = installed;
	const command = new Command(
		[copy.folder, '--python', python, '--port', '0', '--token', 'my-token'],
		{ program, folder, env: { XDG_STATE_HOME: join(folder, 'state') } },
	);
	const url = await command.said(/URL +(\S+)/);
	const client = new Client({ url, accessToken: 'my-token' });
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
	copy.remove();
});
