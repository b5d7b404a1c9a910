import type { Browser } from 'playwright-core';

import { buildPage } from '../crew-server/support/builtPage';
import { launchChromium, openPage } from '../e2e/support/chromium';
import { deploy, type Deployment } from './support/deployment';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';

let model: ScriptedModel;
let deployment: Deployment;
let browser: Browser;
beforeAll(async () => {
	buildPage();
	browser = await launchChromium();
	// The model looks something up before it writes a draft.
	model = await startScriptedModel(({ messages, tools }) => {
		const isDraft = tools !== undefined && JSON.stringify(messages).includes('Draft a text');
		const isFirst = !messages.some(({ role }) => role === 'tool');
		if (isDraft && isFirst) return { tool: 'look_up', arguments: { what: 'Assam' } };
		return 'A **strong** draft';
	});
	model.structure = () => ({ title: 'Strong tea', stars: 5 });
	deployment = await deploy('desk', model);
});
afterAll(async () => {
	await browser.close();
	await deployment.close();
	await model.close();
});

it('shows what CrewAI is doing, from the start to the output, and takes the answers', async () => {
	const { crew } = deployment;
	const page = await openPage(browser, { viewport: { width: 1280, height: 900 } });
	await page.goto(`${crew.url}/#token=${crew.accessToken}`);
	await page.getByRole('link', { name: 'Start', exact: true }).click();
	await page.getByLabel('topic').fill('Tea');
	await page.getByRole('button', { name: 'Start', exact: true }).click();

	await page.getByText('Approve the output of draft_task?').waitFor();
	const timeline = page.getByRole('group', { name: 'Timeline' });
	const details = page.locator('.details');
	const open = async (bar: RegExp, index = 0) => {
		await timeline.getByRole('button', { name: bar }).nth(index).press('Enter');
	};
	await open(/^Agent Editor/);
	await details.getByText('Draft a text about Tea, edition 1').waitFor();
	await open(/^Tool look_up/);
	await details.getByText('Assam', { exact: true }).waitFor();
	await details.getByText('Assam: found on page 7').waitFor();
	await open(/^Model call gpt-4o-mini/, 1);
	// Its prompt shows only what the first call has not shown.
	await details.getByText(/The prompt begins with the \d+ messages of the calls before/).waitFor();
	await details.getByText('Assam: found on page 7').waitFor();
	await details.locator('strong', { hasText: 'strong' }).waitFor();
	expect(await details.innerText()).toMatch(/Tokens\s+15 \(10 in, 5 out\)/);
	expect(await details.innerText()).not.toContain('do not say');

	for (const task of ['draft_task', 'edit_task', 'note_task']) {
		await page.getByText(`Approve the output of ${task}?`).waitFor();
		await page.getByRole('button', { name: 'Approve', exact: true }).click();
	}
	await page.getByText('Completed', { exact: true }).first().waitFor();
	await page.getByRole('link', { name: 'Output' }).click();
	await page.getByRole('region', { name: 'Result' }).getByText('Strong tea').waitFor();
	await page.getByRole('link', { name: 'Log' }).click();
	await page.getByText('Looking up Assam').waitFor();
});

it('nests crews in the methods of a flow that start them', async () => {
	const flow = await deploy('content_flow', model);
	const page = await openPage(browser, { viewport: { width: 1280, height: 900 } });
	await page.goto(`${flow.crew.url}/#token=${flow.crew.accessToken}`);
	await page.getByRole('link', { name: 'Start', exact: true }).click();
	await page.getByLabel('topic').fill('Tea');
	await page.getByRole('button', { name: 'Start', exact: true }).click();
	await page.getByText('Completed', { exact: true }).first().waitFor();
	const lanes = await page.evaluate(
		`[...document.querySelectorAll('.lane-title')].map(({ title, dataset }) => dataset.depth + ' ' + title)`,
	);
	const rows = [
		'0 plan_content',
		'0 generate_content',
		'1 planning_task · Content planner',
		'1 writing_task · Content writer',
		'0 save_content',
	];
	expect((lanes as string[]).slice(-rows.length)).toEqual(rows);
	await page.getByRole('button', { name: /^Flow ContentFlow/ }).waitFor();
	await page.getByRole('button', { name: /^Method generate_content/ }).click();
	await page.getByRole('region', { name: 'Method generate_content' }).waitFor();
	await page.getByRole('list', { name: 'Steps' }).getByText('Content writer').first().waitFor();
	await page.close();
	await flow.close();
});
