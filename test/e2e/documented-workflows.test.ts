import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import type { INodeCredentials, INodeTypeDescription } from 'n8n-workflow';
import type { Browser } from 'playwright-core';
import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { listExamples } from '../../sandbox/src/examples';
import type { Execution, StoredWorkflow, WorkflowDefinition } from '../../sandbox/src/n8n-types';
import { ensureN8n } from '../../sandbox/src/n8n-install';
import { repositoryFolder } from '../../sandbox/src/paths';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { launchChromium } from './support/chromium';
import { Editor } from './support/editor';
import { objectionsTo, readNodeTypes } from './support/editorParameters';
import { takeCanvasPictures } from './support/pictures';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const MIGRATION = ['docs/migration/before.json', 'docs/migration/after.json'];
/** The placeholder for the reader's own crew. */
const EXAMPLE_CREW = 'https://my-crew.example.com';

const readWorkflow = async (path: string) =>
	JSON.parse(await readFile(join(repositoryFolder, path), 'utf8')) as WorkflowDefinition;

describe('workflows that the documentation offers', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let types: INodeTypeDescription[];
	let files: string[];
	let browser: Browser;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
		types = await readNodeTypes(sandbox.api.session);
		files = [...(await listExamples()).map((name) => `examples/${name}`), ...MIGRATION];
		browser = await launchChromium();
		teardown.add(() => browser.close());
	});

	afterAll(() => teardown.run());

	test('n8n’s own command imports each of them into a fresh n8n', async () => {
		const { node, bin } = await ensureN8n();
		const env = { NODE_ENV: 'production', N8N_USER_FOLDER: sandbox.home, HOME: sandbox.home };
		for (const folder of ['examples', 'docs/migration']) {
			const input = `--input=${join(repositoryFolder, folder)}`;
			const { stdout } = await execa(node, [bin, 'import:workflow', '--separate', input], { env });
			expect(stdout).toContain('Successfully imported');
		}
		const names = await Promise.all(files.map(async (file) => (await readWorkflow(file)).name));
		const imported = (await sandbox.api.listWorkflows()).map(({ name }) => name);
		expect(imported.sort()).toEqual(names.sort());
		for (const { id } of await sandbox.api.listWorkflows()) await sandbox.api.deleteWorkflow(id);
	});

	test('n8n’s editor knows every node and every parameter in them, and no value is missing', async () => {
		for (const file of files) {
			expect([file, objectionsTo(await readWorkflow(file), types)]).toEqual([file, []]);
		}
	});

	test('an unknown type, an unknown parameter and a missing value are noticed', async () => {
		const workflow = await readWorkflow('docs/migration/after.json');
		const [note, , crew] = workflow.nodes;
		const broken = [
			{ ...note!, type: 'n8n-nodes-base.nothing' },
			{ ...crew!, parameters: { ...crew!.parameters, options: { nothing: 1 }, waiting: 'no' } },
			{ ...crew!, name: 'Resume', parameters: { operation: 'resume', kickoffId: '' } },
		];
		expect(objectionsTo({ nodes: broken }, types)).toEqual([
			'About this workflow: of an unknown type',
			'Run the Crew: options.nothing is unknown or not shown',
			'Run the Crew: waiting is unknown or not shown',
			expect.stringMatching(/^Resume: .*Kickoff ID/),
			expect.stringMatching(/^Resume: .*Decision/),
		]);
	});

	test('each has its picture, which the gallery shows', async () => {
		const gallery = await readFile(join(repositoryFolder, 'examples', 'README.md'), 'utf8');
		const editor = await Editor.open(browser, sandbox.api.session);
		const stored = new Map<string, StoredWorkflow>();
		for (const file of await listExamples()) {
			const { name, nodes, connections } = await readWorkflow(`examples/${file}`);
			const crewApi = sandbox.credential;
			const ready = nodes.map((node) =>
				node.credentials?.crewApi ? { ...node, credentials: { crewApi } } : node,
			);
			// Not published, since the editor would cover the canvas with congratulations on the first one.
			const workflow = await sandbox.api.createWorkflow({ name, nodes: ready, connections });
			stored.set(`example-${file.replace('.json', '')}`, workflow);
		}
		for (const side of ['before', 'after'] as const) {
			stored.set(`migration-${side}`, await store(side, sandbox.crew));
		}
		for (const [name, { id }] of stored) {
			await editor.openWorkflow(id);
			const area = await editor.canvasArea();
			// Names may be wider than nodes.
			await takeCanvasPictures(editor.page, name, { ...area, width: area.width + 32 });
			if (name.startsWith('example-')) expect(gallery).toContain(`pictures/${name}.png`);
		}
	});

	describe('before and after the migration to the Crew node', () => {
		test('return the same report', async () => {
			const reports = [];
			for (const side of ['before', 'after'] as const) {
				const [item] = outputOf(await run(side, sandbox.crew), 'Use the Result');
				reports.push(item?.json.report);
			}
			expect(reports[0]).toContain('Interest in heat pumps is growing');
			expect(reports[1]).toBe(reports[0]);
		});

		test('both say why a crew failed', async () => {
			const failing = await startCrewServer({ faults: ['task-fails@sort_findings'] });
			teardown.add(() => failing.close());
			for (const side of ['before', 'after'] as const) {
				const { status, data } = await run(side, failing);
				expect([side, status]).toEqual([side, 'error']);
				expect(data.resultData.error?.message).toContain('The task sort_findings failed');
			}
		});
	});

	async function run(side: 'before' | 'after', crew: CrewServer): Promise<Execution> {
		const workflow = await store(side, crew);
		return await sandbox.api.waitForExecution(await sandbox.api.runWorkflow(workflow));
	}

	/** Stores one of the two in n8n, with credentials and the address of this crew. */
	async function store(side: 'before' | 'after', crew: CrewServer): Promise<StoredWorkflow> {
		const { api } = sandbox;
		const credentials: INodeCredentials =
			side === 'before'
				? {
						httpHeaderAuth: await api.createCredential('Crew’s token', 'httpHeaderAuth', {
							name: 'Authorization',
							value: `Bearer ${crew.accessToken}`,
						}),
					}
				: { crewApi: await storeCrewCredential(api, crew, 'Crew') };
		const text = JSON.stringify(await readWorkflow(`docs/migration/${side}.json`));
		const workflow = JSON.parse(text.replaceAll(EXAMPLE_CREW, crew.url)) as WorkflowDefinition;
		const nodes = workflow.nodes.map((node) =>
			node.credentials ? { ...node, credentials } : node,
		);
		return await api.createWorkflow({ ...workflow, nodes });
	}
});
