import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../crew-server/support/until';
import { deploy, PATIENCE, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let deployment: Deployment;

beforeAll(async () => {
	model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(() => {
	model.asked.length = 0;
	model.embeddings = 0;
});
afterEach(() => deployment.close());

it('runs a JSON crew: its own values for inputs, task names that occur twice', async () => {
	deployment = await deploy('json_guide', model);
	const { client, crew } = deployment;
	expect((await client.get('/inputs')).body).toEqual({
		inputs: [
			{ name: 'city', type: 'string', required: true },
			{ name: 'guests', type: 'string', required: false, default: 'two people' },
		],
	});
	expect(crew.crew).toMatchObject({ name: 'json_guide', kind: 'JSON crew' });
	expect(await deployment.run({ city: 'Graz' })).toMatchObject({
		status: 'completed',
		result: {
			output: 'Answer 2',
			tasks: [
				{ task_id: 'outline_1', output: 'Answer 1', agent: 'Guide of Graz' },
				{ task_id: 'outline_2', output: 'Answer 2' },
			],
		},
	});
	expect(JSON.stringify(model.asked[0]?.messages)).toContain('Graz for two people');
});

it('runs a project whose package has another name, with siblings, hooks and non-ASCII names', async () => {
	deployment = await deploy('herbs', model);
	const { client, folder } = deployment;
	// Hooks may add what is missing.
	expect((await client.get('/inputs')).body).toMatchObject({
		inputs: [{ name: 'kraut', required: false }, { required: false }, { required: false }],
	});
	model.script = () => 'Minze 薄荷 riecht – nach 🌿';
	expect(await deployment.run({ kraut: 'Minze' })).toMatchObject({
		status: 'completed',
		result: {
			output: 'Minze 薄荷 riecht – nach 🌿\n– die Kräuterkundige',
			tasks: [
				{
					task_id: 'beschreibung_für_gärtner',
					agent: 'Kräuterkundige 🌿',
					output: 'Minze 薄荷 riecht – nach 🌿',
				},
			],
		},
	});
	expect(JSON.stringify(model.asked[0]?.messages)).toContain('Minze im Frühling 🌱');
	expect(readFileSync(join(folder, 'seiten', 'Minze.md'), 'utf8')).toContain('薄荷');

	expect(await deployment.run({ kraut: 'verirrt' })).toMatchObject({
		status: 'error',
		error:
			'The inputs lead the output file seiten/{datei}.md out of its folder: seiten/../../verirrt.md',
	});
	expect(existsSync(join(folder, '..', 'verirrt.md'))).toBe(false);

	// CrewAI itself reports what the hooks do not add.
	expect(await deployment.run({})).toMatchObject({
		status: 'error',
		error: expect.stringMatching(/kraut/) as string,
	});
});

it('chooses a crew by name, refuses an output file outside its folder, returns structured output', async () => {
	deployment = await deploy('several', model, { project: { crewName: 'Noting' } });
	const { client, crew, folder } = deployment;
	// This project starts a thread when it is imported.
	expect(crew.crew.warnings).toEqual([expect.stringContaining('its own Python process') as string]);
	const refused = await client.post('/kickoff', { inputs: { name: '../../x' } });
	expect(refused.status).toBe(422);
	expect(refused.body).toMatchObject({
		details: { invalid_fields: [{ field: 'inputs.name' }] },
	});
	model.script = () => '{"title": "Tea", "stars": 5}';
	const ended = await deployment.run({ name: 'tea' });
	expect(ended).toMatchObject({ status: 'completed' });
	expect(existsSync(join(folder, 'notes', 'tea.json'))).toBe(true);
	const record = (await crew.executions()).at(-1);
	expect(Object.keys(record?.result?.outputJson as object)).toEqual(['title', 'stars']);
});

it('runs a crew without @CrewBase that reads the clock, opens a database when it is imported, and has a hook without a result', async () => {
	deployment = await deploy('ledger', model);
	const { crew, folder } = deployment;
	expect(crew.crew).toMatchObject({ name: 'Ledger', kind: 'crew' });
	expect(crew.crew.warnings).toEqual([expect.stringContaining('its own Python process') as string]);
	model.script = () => 'Written';
	const begun = Date.now() / 1_000;
	expect(await deployment.run({ topic: 'tea' })).toMatchObject({
		status: 'completed',
		result: { output: 'Written', tasks: [{ task_id: 'task_1', output: 'Written' }] },
	});
	const [, time] = /about tea at ([\d.]+)/.exec(JSON.stringify(model.asked[0]?.messages)) ?? [];
	expect(Number(time)).toBeGreaterThan(begun);
	expect(readFileSync(join(folder, 'ledger.db'), 'latin1')).toContain('Written');
});

it('runs a flow that its main.py imports, with results that JSON cannot express', async () => {
	deployment = await deploy('measuring', model);
	expect(await deployment.run({})).toMatchObject({
		status: 'completed',
		result: { output: 'three', tasks: [{}, { output: "{('tea', 'mate'): 1}" }, {}] },
	});
	const record = (await deployment.crew.executions()).at(-1);
	expect(record?.tasks[0]?.outputJson).toEqual({ tea: null, mate: [null, 0.5] });
});

it.each([
	['plain', 'builds the crew before it is needed', { early: 2, embeds: false }],
	['knowing', 'does so without embedding its knowledge', { early: 2, embeds: true }],
	['remote', 'does not if that starts servers', { early: 1, embeds: false }],
])('has a spare child; with a %s project, it %s', async (kind, _what, expected) => {
	deployment = await deploy('archive', model, {}, { ARCHIVE: kind });
	const { folder } = deployment;
	const buildings = () => readFileSync(join(folder, 'built.txt'), 'utf8').length;
	// The crew has been built once to be described.
	await until(() => buildings() === expected.early, PATIENCE);
	// Long enough for the spare child to build it once more, if it did.
	await new Promise((resolve) => setTimeout(resolve, 1_000));
	expect([buildings(), model.embeddings]).toEqual([expected.early, 0]);
	expect(await deployment.run({})).toMatchObject({ status: 'completed' });
	expect(model.embeddings > 0).toBe(expected.embeds);
});
