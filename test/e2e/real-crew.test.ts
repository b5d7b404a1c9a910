import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples } from '../../sandbox/src/examples';
import { findFreePort } from '../../sandbox/src/ports';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { copyProject } from '../crewai/support/deployment';
import {
	ensureCrewai,
	ensureTools,
	findInterpreters,
	NO_PYTHON,
} from '../crewai/support/environments';
import {
	startScriptedModel,
	type Script,
	type ScriptedModel,
} from '../crewai/support/scriptedModel';
import { deployApart, type Apart } from '../crew-server/support/apart';
import { launchChromium, openPage } from './support/chromium';
import { Editor } from './support/editor';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const ONE_CANVAS = 'approve-on-one-canvas.json';

describe('a real crew asks a person in n8n', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let browser: Browser;
	let model: ScriptedModel;
	let apart: Apart;
	let deploy: () => Promise<Apart>;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
		browser = await launchChromium();
		teardown.add(() => browser.close());
		model = await startScriptedModel();
		teardown.add(() => model.close());
		const [interpreter] = await findInterpreters();
		if (!interpreter) throw new Error(NO_PYTHON);
		const python = await ensureCrewai('newest', interpreter, await ensureTools(interpreter));
		const copy = copyProject('desk', model.env);
		teardown.add(() => {
			copy.remove();
		});
		const port = await findFreePort();
		const dataFolder = join(copy.folder, 'data');
		deploy = () => deployApart({ crew: copy.folder, project: { python }, dataFolder, port });
		apart = await deploy();
		teardown.add(() => apart.kill());
	});

	afterAll(() => teardown.run());

	test('rejected with feedback, asked again after kill -9 of the server, approved, with the result on the canvas', async () => {
		const script: Script = ({ messages }) => {
			const text = JSON.stringify(messages);
			if (text.includes('Shorten the draft')) return 'Bees, in short';
			return text.includes('With more honey') ? 'Bees and honey' : 'Bees alone';
		};
		model.script = script;
		const { api } = sandbox;
		const credential = await storeCrewCredential(api, apart.crew, 'Real crew');
		const { id, nodes } = (await importExamples(api, credential, [ONE_CANVAS])).get(ONE_CANVAS)!;
		const { webhookId } = nodes.find(({ name }) => name === 'Ask for a Topic')!;
		const page = await openPage(browser, { viewport: { width: 900, height: 800 } });
		await page.goto(`${sandbox.url}/form/${webhookId ?? ''}`);
		await page.getByLabel('Topic').fill('bees');
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByText('Bees alone').waitFor();
		expect(model.asked).toHaveLength(1);

		// The server dies while the model works on the feedback; the one that follows asks it once more.
		let hasHeard: () => void = () => undefined;
		const heard = new Promise<void>((resolve) => (hasHeard = resolve));
		model.script = () => {
			hasHeard();
			return undefined;
		};
		await review(page, 'Reject', 'With more honey');
		await heard;
		await apart.kill();
		model.script = script;
		apart = await deploy();
		await page.getByText('Bees and honey').waitFor();
		expect(model.asked).toHaveLength(3);
		expect(JSON.stringify(model.asked[2]?.messages)).toContain('Bees alone');

		// This crew asks after each of its three tasks.
		for (const output of ['Bees and honey', 'Bees, in short', 'some text']) {
			await page.getByText(output).waitFor();
			await review(page, 'Approve', '');
		}
		await page.getByText('Here it is').waitFor();
		const [execution] = await api.waitForExecutionsOf(id);
		expect(execution?.status).toBe('success');
		const [answer] = outputOf(execution!, 'Answer the Crew').slice(-1);
		expect(answer?.json).toMatchObject({
			status: 'completed',
			output_json: { title: 'some text', stars: 1 },
		});
		expect(model.asked).toHaveLength(5);
		const editor = await Editor.open(browser, api.session);
		await editor.openExecution(id, execution!.id);
		await editor.node('Show the Article').waitFor();
	});

	async function review(page: Page, decision: string, feedback: string): Promise<void> {
		await page.getByLabel('Decision').selectOption(decision);
		await page.getByLabel('Feedback').fill(feedback);
		await page.getByRole('button', { name: 'Answer the crew' }).click();
	}
});
