import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCrewServer } from '../../crew-server/src';
import { readProject } from '../../crew-server/src/simulator/crew/project';
import { Client } from './support/client';

const project = join(__dirname, 'fixtures', 'latest-ai');
let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'crew-project-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

it('is deployed with its placeholders as inputs, and pauses when a person is asked', async () => {
	const crew = await startCrewServer({ crew: project, played: true });
	const client = new Client(crew);
	const required = (name: string) => ({ name, type: 'string', required: true });
	expect((await client.get('/inputs')).body).toEqual({
		inputs: ['topic', 'current_year', 'audience'].map(required),
	});
	const inputs = { topic: 'Tea', current_year: '2026', audience: 'beginners' };
	const id = await client.kickoff({ inputs });
	expect(await client.untilStatus(id, 'pending_human_input')).toMatchObject({
		task_id: 'reporting_task',
		task_output: '(simulated) A full report',
	});
	expect((await crew.executions())[0]?.tasks[0]).toMatchObject({
		taskId: 'research_task',
		agent: 'Tea Senior Data Researcher',
		description: 'Conduct a thorough research about Tea, and mind that it is 2026.',
		output: '(simulated) A list with 10 bullet points about Tea',
	});
	await crew.close();
});

it('is found in crewai’s layout, in a package under src', () => {
	cpSync(join(project, 'config'), join(folder, 'src', 'my_crew', 'config'), { recursive: true });
	expect(readProject(folder).tasks.map(({ name }) => name)).toEqual([
		'research_task',
		'reporting_task',
	]);
});

it('is refused if there is none', () => {
	expect(() => readProject(folder)).toThrow('expected config/agents.yaml and config/tasks.yaml');
});

it.each([
	[
		'tasks.yaml',
		'a:\n  agent: nobody\n',
		':2: a.agent: expected an agent of agents.yaml (one), found "nobody"',
	],
	['tasks.yaml', 'a:\n  agent: one\n', ':1: a.expected_output: expected a text, found nothing'],
	['tasks.yaml', '', ':1: expected names with values (name: value), found nothing'],
	['agents.yaml', 'one:\n  goal: b\n', ":1: one.role: expected the agent's role, found nothing"],
	['agents.yaml', 'one: [', ':1: expected YAML, but: '],
])('is refused if %s is broken, with the line and what was expected', (file, text, message) => {
	const config = join(folder, 'config');
	mkdirSync(config);
	writeFileSync(join(config, 'agents.yaml'), 'one:\n  role: One\n');
	writeFileSync(
		join(config, 'tasks.yaml'),
		'a:\n  agent: one\n  description: b\n  expected_output: c\n',
	);
	writeFileSync(join(config, file), text);
	expect(() => readProject(folder)).toThrow(join(config, file) + message);
});
