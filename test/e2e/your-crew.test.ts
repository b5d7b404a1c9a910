import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';

import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { Teardown } from '../../sandbox/src/teardown';
import { launchChromium } from './support/chromium';
import { Editor } from './support/editor';
import type { NodePanel } from './support/nodePanel';
import { begunWorkflow, NAMES } from './support/newWorkflows';
import { takePictures } from './support/pictures';
import { prepareRealCrews, type RealCrew, type RealCrews } from './support/realCrews';
import { startSharedSandbox } from './support/sharedSandbox';

const REPORT = 'Tea is the most common drink after water.';

/** The steps of docs/your-crew-in-n8n.md, in order. */
describe('a new CrewAI project in n8n', () => {
	const teardown = new Teardown();
	let crews: RealCrews;
	let crew: RealCrew;
	let editor: Editor;
	let panel: NodePanel;

	beforeAll(async () => {
		const { api } = await startSharedSandbox({ teardown });
		// The only credential, so a new node has it already.
		for (const other of await api.listCredentials()) await api.deleteCredential(other);
		crews = await prepareRealCrews(teardown);
		crews.model.script = () => REPORT;
		crew = await crews.serve(await createProject());
		await storeCrewCredential(api, crew, 'Crew server');
		const browser = await launchChromium();
		teardown.add(() => browser.close());
		editor = await Editor.open(browser, api.session);
		const { id } = await api.createWorkflow(begunWorkflow());
		await editor.openWorkflow(id);
		const creator = await editor.openNodeCreator(NAMES.start);
		await creator.openDetails(await creator.search('CrewAI', 'Crew'));
		panel = await creator.choose('Actions', 'Kick off crew');
	});

	afterAll(() => teardown.run());

	test('has its inputs as fields, and its result on the canvas', async () => {
		await panel.field('topic').fill('Tea');
		await panel.field('current_year').fill('2026');
		await execute('completed');
		await panel.output().getByText(REPORT).first().waitFor();
		await panel.showSchema();
		await takePictures(editor.page, 'your-crew', {
			icon: panel.root,
			readable: [
				panel.root.getByText('topic', { exact: true }),
				panel.root.getByText('current_year', { exact: true }),
				panel.output().getByText('completed', { exact: true }),
			],
			area: await panel.area(690),
		});
		await panel.close();
		await editor.untilSuccess(NAMES.crew);
		expect(crews.model.asked).toHaveLength(2);
		expect(JSON.stringify(crews.model.asked[0]?.messages)).toContain('2026');
	});

	test('asks a person, once its first task has the line for it', async () => {
		const tasks = join(crew.folder, 'src', 'tea_guide', 'config', 'tasks.yaml');
		const text = readFileSync(tasks, 'utf8');
		writeFileSync(tasks, text.replace('research_task:\n', 'research_task:\n  human_input: true\n'));
		expect(await crew.end('SIGINT')).toBe(0);
		await crew.start();
		panel = await editor.openNode(NAMES.crew);
		await execute('pending_human_input');
		await panel.output().getByText('research_task').first().waitFor();
	});

	/** Runs the node, and waits until its output shows this status. */
	async function execute(status: string): Promise<void> {
		await panel.executeStep();
		await panel.output().getByText(status, { exact: true }).waitFor();
		await editor.closeNotices();
	}

	async function createProject(): Promise<string> {
		const folder = mkdtempSync(join(tmpdir(), 'your-crew-'));
		teardown.add(() => {
			rmSync(folder, { recursive: true, force: true });
		});
		const env = { CREWAI_DISABLE_TELEMETRY: 'true', CREWAI_TESTING: 'true', HOME: folder };
		const create = ['create', 'crew', 'tea_guide', '--classic', '--skip-provider'];
		await execa(crews.python, ['-m', 'crewai_cli.cli', ...create], { cwd: folder, env });
		const project = join(folder, 'tea_guide');
		const variables = Object.entries(crews.model.env).map(([name, value]) => `${name}=${value}\n`);
		writeFileSync(join(project, '.env'), variables.join(''));
		return project;
	}
});
