import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';

import { Client } from '../crew-server/support/client';
import { Command } from '../crew-server/support/command';
import { until } from '../crew-server/support/until';
import {
	installCrewServer,
	type InstalledCrewServer,
} from '../../sandbox/src/installed-crew-server';
import { PATIENCE, python } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

/** The commands of docs/your-crew-in-n8n.md, one after the other, with the packed server. */

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'your-crew-in-n8n.md'), 'utf8');
const fences = (language: string) =>
	[...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
		([, text = '']) => text,
	);
const [create = '', environment = '', start = ''] = fences('sh');
const [asks = ''] = fences('yaml');

let folder: string;
let installed: InstalledCrewServer;
let model: ScriptedModel;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'your-crew-'));
	installed = await installCrewServer();
	model = await startScriptedModel(() => 'A report about tea');
}, 300_000);
afterAll(async () => {
	await model.close();
	installed.remove();
	rmSync(folder, { recursive: true, force: true });
});

const shell = async (script: string) => {
	const env = { CREWAI_DISABLE_TELEMETRY: 'true', CREWAI_TESTING: 'true', HOME: folder };
	await execa('bash', ['-ec', script], { cwd: folder, env });
};

/** The server that the page starts, on a free port, in the environment that is tested. */
async function startServer(): Promise<{ command: Command; client: Client }> {
	const [, project = ''] = /^npm run crew -- path\/to\/(\w+)$/.exec(start.trim()) ?? [];
	const options = ['--python', python, '--port', '0', '--token', 'my-token'];
	const command = new Command(['.', ...options], {
		program: installed.program,
		folder: join(folder, project),
		env: { XDG_STATE_HOME: join(folder, 'state') },
	});
	const url = await command.said(/URL +(\S+)/);
	return { command, client: new Client({ url, accessToken: 'my-token' }) };
}

it('leads from nothing to a result, and to a person who is asked', async () => {
	const [creating = '', entering = '', installing = ''] = create.trim().split('\n');
	expect([entering, installing]).toEqual(['cd tea_guide', 'crewai install']);
	// The tested environment replaces the one that the last command would install.
	await shell(creating.replace(/^crewai/, `'${python}' -m crewai_cli.cli`));
	await shell(`cd tea_guide\n${environment}`);
	const env = join(folder, 'tea_guide', '.env');
	expect(readFileSync(env, 'utf8')).toMatch(/^MODEL=.+\nOPENAI_API_KEY=.+\n$/);
	const variables = Object.entries(model.env).map(([name, value]) => `${name}=${value}\n`);
	writeFileSync(env, variables.join(''));

	const first = await startServer();
	const { inputs } = (await first.client.get('/inputs')).body as {
		inputs: Array<{ name: string }>;
	};
	expect(inputs.map(({ name }) => name).sort()).toEqual(['current_year', 'topic']);
	const given = { inputs: { topic: 'Tea', current_year: '2026' } };
	const id = await first.client.kickoff(given);
	const ended = await untilSettled(first.client, id);
	expect(ended).toMatchObject({ status: 'completed', result: { output: 'A report about tea' } });
	first.command.kill('SIGINT');
	expect(await first.command.ended).toBe(0);

	const tasks = join(folder, 'tea_guide', 'src', 'tea_guide', 'config', 'tasks.yaml');
	const text = readFileSync(tasks, 'utf8');
	writeFileSync(tasks, text.replace('research_task:\n', `research_task:\n  ${asks}`));
	const second = await startServer();
	const other = await second.client.kickoff(given);
	const asked = await untilSettled(second.client, other);
	expect(asked).toMatchObject({ status: 'pending_human_input', task_id: 'research_task' });
	await second.client.resume(other, { task_id: 'research_task' });
	await until(async () => {
		const { body } = await second.client.get(`/${other}/status`);
		return body['status'] === 'completed';
	}, PATIENCE);
	second.command.kill('SIGINT');
	expect(await second.command.ended).toBe(0);
});

async function untilSettled(client: Client, id: string): Promise<Record<string, unknown>> {
	return await until(async () => {
		const { body } = await client.get(`/${id}/status`);
		return body['status'] !== 'running' && body;
	}, PATIENCE);
}
