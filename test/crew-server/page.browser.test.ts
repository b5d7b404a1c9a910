import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { launchChromium, openPage } from '../e2e/support/chromium';
import { Client } from './support/client';
import { startReceiver, type Receiver } from './support/receiver';
import { until } from './support/until';

let browser: Browser;
let page: Page;
let crew: CrewServer;
let client: Client;
let receiver: Receiver;
const troubles: string[] = [];

/** Where pictures of the page are put, if anywhere. */
const pictures = process.env['CREW_PICTURES'];

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
	crew = await startCrewServer({ crew: 'reviewed-article' });
	client = new Client(crew);
	receiver = await startReceiver();
	page = await openPage(browser, { viewport: { width: 1100, height: 800 } });
	troubles.length = 0;
	page.on('pageerror', (error) => troubles.push(error.message));
	page.on('console', (message) => {
		if (message.type() === 'error') troubles.push(message.text());
	});
});
afterEach(async () => {
	await page.close();
	await crew.close();
	await receiver.close();
});

const open = () => page.goto(`${crew.url}/#token=${crew.accessToken}`);
const textOf = (selector: string) => page.locator(selector).innerText();

async function picture(name: string): Promise<void> {
	if (pictures === undefined) return;
	mkdirSync(pictures, { recursive: true });
	await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

it('shows the crew, and follows an execution from a kickoff to an approval', async () => {
	await open();
	await page.getByText('Live', { exact: true }).waitFor();
	expect(page.url()).not.toContain(crew.accessToken);
	expect(await page.getByLabel('Access token').isVisible()).toBe(false);
	expect(await textOf('#name')).toBe('reviewed-article');
	expect(await textOf('#inputs')).toContain('topic string, required');
	expect(await textOf('#tasks')).toContain('write_draft by Writer, asks a person');

	const id = await client.kickoff({
		taskWebhookUrl: `${receiver.url}/task`,
		humanInputWebhook: { url: `${receiver.url}/ask` },
	});
	await client.post('/kickoff', { inputs: {} });
	const feedback = page.getByLabel('Your feedback on the output of write_draft');
	await feedback.fill('Mention Assam');
	await picture('asked');
	expect(await textOf('#executions')).toContain('# Tea');
	await page.getByRole('button', { name: 'Approve' }).click();
	await page.locator('#executions .word[data-word=completed]').first().waitFor();
	expect(await client.untilStatus(id, 'completed')).toMatchObject({
		result: { output: expect.stringContaining('Mention Assam') as unknown },
	});
	// What kickoff named is still called: the form names it again.
	await until(() => receiver.received.filter(({ path }) => path === '/task').length === 2);
	await page.getByText('human input →').click();
	expect(await textOf('#callbacks')).toContain('"task_id": "write_draft"');
	await page.locator('#requests summary', { hasText: 'POST /kickoff' }).first().click();
	expect(await textOf('#requests')).toContain('Missing required inputs');
	await page.locator('#callbacks .word[data-word=delivered]').nth(2).waitFor();
	await picture('completed');
	await page.locator('#executions details.followed summary').click();
	await page.locator('.events li', { hasText: 'crew_kickoff_completed' }).waitFor();
	expect(await textOf('.events li:first-child')).toContain('crew_kickoff_started');
	expect(troubles).toEqual([]);
});

it('is used with the keyboard alone, and keeps what is typed while things change', async () => {
	await open();
	await client.kickoff();
	const feedback = page.getByLabel('Your feedback');
	await feedback.waitFor();
	await feedback.focus();
	await page.keyboard.type('Shorter, ');
	const other = await client.kickoff();
	await client.untilStatus(other, 'pending_human_input');
	await page.locator('#executions details').nth(1).waitFor();
	await page.keyboard.type('please');
	const typed = page.locator('textarea').nth(1);
	expect(await typed.inputValue()).toBe('Shorter, please');
	for (let press = 0; press < 3; press++) await page.keyboard.press('Tab');
	expect(await page.evaluate('document.activeElement.textContent')).toBe('Reject and retry');
	await page.keyboard.press('Enter');
	await page.getByText('try 2').waitFor();
	await page.getByText('Revised as asked: Shorter, please').waitFor();
	expect(troubles).toEqual([]);
});

it('follows the events of one execution at a time, also over a restart of the server', async () => {
	const dataFolder = mkdtempSync(join(tmpdir(), 'crew-data-'));
	const port = Number(new URL(crew.url).port);
	const { accessToken } = crew;
	await crew.close();
	const options = { crew: 'reviewed-article', port, accessToken, dataFolder };
	crew = await startCrewServer(options);
	client = new Client(crew);
	await open();
	const id = await client.kickoff();
	const asked = page.locator('.events li', { hasText: 'human_feedback_requested' });
	await page.locator('#executions details.followed summary').click();
	await asked.waitFor();
	await crew.close();
	crew = await startCrewServer(options);
	client = new Client(crew);
	// The first request may still go to a connection of the server before.
	await until(() => client.get(`/${id}/status`).catch(() => undefined));
	await client.resume(id);
	await page.locator('.events li', { hasText: 'crew_kickoff_completed' }).waitFor();
	expect(await asked.count()).toBe(1);
	await crew.close();
	rmSync(dataFolder, { recursive: true });
});

it('fits a phone', async () => {
	await page.setViewportSize({ width: 360, height: 740 });
	await open();
	await client.kickoff({
		taskWebhookUrl: `${receiver.url}/a/rather/long/path/that/does/not/fit/on/a/phone/in/one/line`,
	});
	await page.getByLabel('Your feedback').waitFor();
	await picture('phone');
	expect(
		await page.evaluate(
			'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
		),
	).toBe(true);
	const height = (await page.getByRole('button', { name: 'Approve' }).boundingBox())?.height;
	expect(height).toBeGreaterThanOrEqual(44);
});

it('asks for the token, refuses another one, and comes back after a restart', async () => {
	await page.goto(crew.url);
	await page.getByLabel('Access token').fill('another');
	await page.keyboard.press('Enter');
	await page.getByText('not the access token of this crew').waitFor();
	await page.getByLabel('Access token').fill(crew.accessToken);
	await page.keyboard.press('Enter');
	await page.getByText('Live', { exact: true }).waitFor();
	const port = Number(new URL(crew.url).port);
	const { accessToken } = crew;
	await crew.close();
	await page.getByText('does not answer').waitFor();
	crew = await startCrewServer({ port, accessToken });
	await page.getByText('Live', { exact: true }).waitFor();
	expect(await textOf('#name')).toBe('research');
});
