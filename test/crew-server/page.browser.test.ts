import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { launchChromium, openPage } from '../e2e/support/chromium';
import { buildPage } from './support/builtPage';
import { Client } from './support/client';
import { startReceiver } from './support/receiver';
import { until } from './support/until';

let browser: Browser;
let page: Page;
let crew: CrewServer;
let client: Client;
/** What the browser complained of, and what it asked elsewhere for. */
const troubles: string[] = [];

beforeAll(async () => {
	buildPage();
	browser = await launchChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
	crew = await startCrewServer({ crew: 'reviewed-article' });
	client = new Client(crew);
	page = await openPage(browser, { viewport: { width: 1280, height: 800 } });
	watch(page);
});
afterEach(async () => {
	await page.close();
	await crew.close();
});

function watch(watched: Page): void {
	troubles.length = 0;
	watched.on('pageerror', (error) => troubles.push(error.message));
	watched.on('console', (message) => {
		// A refused request is told on the page.
		const isRefusal = message.text().startsWith('Failed to load resource');
		if (message.type() === 'error' && !isRefusal) troubles.push(message.text());
	});
	watched.on('request', (request) => {
		if (!request.url().startsWith(crew.url)) troubles.push(request.url());
	});
}

/** Opens a view of the page, signed in. */
async function open(hash = '#/executions', token = crew.accessToken): Promise<void> {
	await page.goto(`${crew.url}/#token=${token}`);
	await page.getByText('Live', { exact: true }).waitFor();
	await show(hash);
}

const show = (hash: string) => page.evaluate(`location.hash = '${hash}'`);
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

async function askedOnce(body: Record<string, unknown> = {}): Promise<string> {
	const id = await client.kickoff(body);
	await client.untilStatus(id, 'pending_human_input');
	return id;
}

async function completed(body: Record<string, unknown> = {}): Promise<string> {
	const id = await askedOnce(body);
	await client.resume(id);
	await client.untilStatus(id, 'completed');
	return id;
}

describe('start', () => {
	it("has a form made of the inputs, with the API's words beside the field, and keeps what was typed last", async () => {
		await open();
		await page.getByRole('link', { name: 'Start', exact: true }).click();
		await page.getByLabel('audience').fill('Beginners');
		await press('Start');
		await shows('is required');
		const topic = page.getByLabel('topic');
		expect(await topic.getAttribute('aria-invalid')).toBe('true');
		await page.locator('textarea:focus[id=input-topic]').waitFor();
		await topic.fill('Tea');
		await press('Start');
		await page.waitForURL(/#\/executions\/[\w-]+$/);
		await shows('Is the output of write_draft as it should be?');
		await show('#/start');
		expect(await page.getByLabel('topic').inputValue()).toBe('Tea');
		expect(await page.getByLabel('audience').inputValue()).toBe('Beginners');
		const [execution] = await crew.executions();
		expect(execution?.inputs).toEqual({ topic: 'Tea', audience: 'Beginners' });
	});

	it('takes JSON, and runs an execution again with its inputs to change', async () => {
		const id = await askedOnce({ inputs: { topic: 'Tea', more: { a: [1] } } });
		await open(`#/executions/${id}`);
		await page.getByRole('link', { name: 'Run again' }).click();
		expect(await page.getByLabel('topic').inputValue()).toBe('Tea');
		await page.getByLabel('Inputs as JSON').check();
		const json = page.getByLabel('Inputs', { exact: true });
		expect(JSON.parse(await json.inputValue())).toEqual({ topic: 'Tea', more: { a: [1] } });
		await json.fill('{');
		await press('Start');
		await shows('That is no JSON');
		await json.fill('{"topic": "Coffee", "more": null}');
		await page.getByLabel('Inputs as JSON').uncheck();
		expect(await page.getByLabel('topic').inputValue()).toBe('Coffee');
		await press('Start');
		await page.waitForURL((url) => !url.hash.includes(id) && url.hash.includes('/executions/'));
		expect((await crew.executions()).at(-1)?.inputs).toEqual({ topic: 'Coffee', more: null });
	});

	it('reads inputs of any shape, and gives numbers as numbers', async () => {
		await crew.close();
		const inputs = [
			{ name: 'year', type: 'integer' as const, required: true },
			{ name: 'isLong', type: 'boolean' as const, required: false },
		];
		const definition = {
			name: 'typed',
			inputs,
			tasks: [
				{ name: 'write', description: 'x', expectedOutput: 'x', agent: 'Writer', output: 'x' },
			],
		};
		for (const inputsShape of ['objects', 'types'] as const) {
			crew = await startCrewServer({ crew: definition, aspects: { inputsShape } });
			await open('#/start');
			await page.getByLabel('year').fill('2026');
			await page.getByLabel('isLong').selectOption('true');
			await press('Start');
			await page.waitForURL(/#\/executions\//);
			expect((await crew.executions())[0]?.inputs).toEqual({ year: 2026, isLong: true });
			await crew.close();
		}
		crew = await startCrewServer();
	});
});

describe('find', () => {
	it('finds by text, state and day, and pages through all there are', async () => {
		await crew.close();
		crew = await startCrewServer({ crew: 'research' });
		client = new Client(crew);
		const ids: string[] = [];
		for (let index = 0; index < 130; index++) {
			const order = { inputs: { topic: `Topic ${index}` }, meta: { order: `A-${index}` } };
			ids.push(await client.kickoff(order));
			if (index === 7) await client.post(`/stop/${ids[7]}`);
		}
		await open();
		await shows('The newest 100; scroll for more');
		const list = page.getByRole('list', { name: 'Executions' });
		await list.getByRole('link').first().focus();
		await page.keyboard.press('End');
		await shows('130 in all');
		await page.keyboard.press('End');
		await list.getByText('Topic 0', { exact: false }).last().waitFor();
		await page.getByLabel('Search').fill('a-42');
		await shows('1 in all');
		await list.getByText('topic: Topic 42').waitFor();
		await page.getByLabel('Search').fill('');
		await page.getByLabel('State').selectOption('Stopped');
		await list.getByText('topic: Topic 7').waitFor();
		await shows('1 in all');
		await page.getByLabel('State').selectOption('Any');
		await page.getByLabel('To', { exact: true }).fill('2020-01-01');
		await shows('None fits');
		await page.getByLabel('To', { exact: true }).fill('');
		await page.getByLabel('Search').fill(ids[99]!.slice(0, 13));
		await list.getByRole('link', { name: 'Topic 99' }).click();
		await page.waitForURL(`**/#/executions/${ids[99]}`);
		expect(troubles).toEqual([]);
	});

	it('follows what changes, and has an address for each execution, in which no token stands', async () => {
		await open();
		await shows('Nothing has run yet');
		const id = await askedOnce();
		const row = page.locator('a.row');
		await row.getByText('Asks a person').waitFor();
		await client.resume(id);
		await row.getByText('Completed').waitFor();
		await row.click();
		const address = page.url();
		expect(address).toBe(`${crew.url}/#/executions/${id}`);
		const colleague = await openPage(browser);
		await colleague.goto(address);
		await colleague.getByLabel('Access token').fill(crew.accessToken);
		await colleague.keyboard.press('Enter');
		await colleague.getByText('Is the output').waitFor({ state: 'detached' });
		await colleague.getByRole('heading', { name: id }).waitFor();
		expect(colleague.url()).toBe(address);
		await colleague.close();
	});

	it('shows those with the user token what was started with it, and nothing else', async () => {
		const own = await new Client(crew, crew.userAccessToken).kickoff();
		const other = await client.kickoff();
		await open('#/executions', crew.userAccessToken);
		await shows('1 in all');
		await shows('User token');
		await show(`#/executions/${other}`);
		await shows('There is no such execution, or this token does not reach it.');
		await show(`#/executions/${own}`);
		await page.getByRole('heading', { name: own }).waitFor();
	});
});

describe('watch', () => {
	it('has a timeline that grows, and opens what is known of each bar', async () => {
		const id = await client.kickoff();
		await open(`#/executions/${id}`);
		const timeline = page.getByRole('group', { name: 'Timeline' });
		await timeline.getByRole('button', { name: /^Question/ }).waitFor();
		await client.resume(id, { is_approve: false, human_feedback: 'Mention Assam' });
		await until(
			async () => (await timeline.getByRole('button', { name: /^Question/ }).count()) === 2,
		);
		await client.resume(id);
		await timeline.getByRole('button', { name: /^Task publish/ }).waitFor();
		expect(await timeline.getByRole('button', { name: /^Task write_draft/ }).count()).toBe(2);

		const details = page.locator('.details');
		await timeline
			.getByRole('button', { name: /^Model call/ })
			.nth(1)
			.click();
		await details.getByText('Mention Assam').first().waitFor();
		expect(await details.innerText()).toMatch(/Tokens\s+\d+ \(\d+ in, \d+ out\)/);
		expect(await details.innerText()).toContain('The events do not tell: Model.');
		await timeline.getByRole('button', { name: /^Tool/ }).first().press('Enter');
		await details.getByRole('heading', { name: 'Arguments' }).waitFor();
		await details.getByText('found what was asked for').waitFor();
		await timeline
			.getByRole('button', { name: /^Question/ })
			.first()
			.click();
		await details.getByText('The events do not tell when the answer came').waitFor();
		await page.getByRole('list', { name: 'Steps' }).getByText('write_draft').first().waitFor();
		expect(troubles).toEqual([]);
	});

	it('says where a task failed, and why', async () => {
		crew.setFaults(['task-fails@publish']);
		const id = await askedOnce();
		await client.resume(id);
		await open(`#/executions/${id}`);
		await page.getByLabel('Why it failed').getByText('The task publish failed').waitFor();
		await page
			.getByRole('button', { name: /^Task publish failed/ })
			.first()
			.click();
		await page.locator('.details').getByText('The task publish failed').waitFor();
	});

	it('goes on over a restart of the server', async () => {
		const dataFolder = mkdtempSync(join(tmpdir(), 'crew-data-'));
		const port = Number(new URL(crew.url).port);
		const { accessToken } = crew;
		const options = { crew: 'reviewed-article', port, accessToken, dataFolder };
		await crew.close();
		crew = await startCrewServer(options);
		client = new Client(crew);
		const id = await askedOnce();
		await open(`#/executions/${id}`);
		await shows('Is the output of write_draft');
		await crew.close();
		await shows('The crew server does not answer; trying again');
		crew = await startCrewServer(options);
		client = new Client(crew);
		await page.getByText('Live', { exact: true }).waitFor();
		await until(() => client.get(`/${id}/status`).catch(() => undefined));
		await client.resume(id);
		await page
			.getByRole('button', { name: /^Task publish/ })
			.first()
			.waitFor();
		await crew.close();
		rmSync(dataFolder, { recursive: true });
	});
});

describe('read', () => {
	it('shows Markdown and JSON, their source, and gives them as files', async () => {
		const id = await completed({ inputs: { topic: 'Tea', meta: { deep: [1, 'two'] } } });
		await open(`#/executions/${id}/output`);
		await page.getByRole('region', { name: 'Result' }).getByText('Ready to publish').waitFor();
		const result = page.locator('details.entry', { hasText: 'write_draft' });
		await result.locator('summary').click();
		await result.getByRole('heading', { name: 'Tea' }).waitFor();
		await result.getByLabel('Source').check();
		await result.getByText('# Tea').waitFor();
		const waiting = page.waitForEvent('download');
		await result.getByRole('button', { name: 'Download write_draft' }).click();
		const file = await waiting;
		expect(file.suggestedFilename()).toBe('write_draft.md');
		expect(readFileSync(await file.path(), 'utf8')).toContain('# Tea');
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await result.getByRole('button', { name: 'Copy write_draft' }).click();
		await result.getByText('Copied').waitFor();
		const copied = await page.evaluate('navigator.clipboard.readText()');
		expect(copied).toContain('# Tea');
		await page.getByRole('link', { name: 'Inputs' }).click();
		const tree = page.locator('.tree');
		await tree.getByText('2 items').click();
		await tree.getByText('two').waitFor();
		await tree.getByText('2 items').click();
		expect(await tree.getByText('two').isVisible()).toBe(false);
	});

	it('shows all of a long text on demand', async () => {
		const id = await askedOnce({ inputs: { topic: `${'x '.repeat(15_000)}end` } });
		await open(`#/executions/${id}/details`);
		await shows(/The first 20,000 of 30,0\d\d characters/);
		const inputs = page.getByRole('region', { name: 'Inputs' });
		await inputs.getByRole('button', { name: 'Show all' }).click();
		await inputs.locator('.tree').getByText('x end').waitFor();
	});
});

describe('decide', () => {
	it('approves without a text, and rejects with one', async () => {
		const receiver = await startReceiver();
		const id = await askedOnce({ taskWebhookUrl: `${receiver.url}/task` });
		await open(`#/executions/${id}`);
		await press('Reject');
		await shows('Say what is to be different');
		await page.getByLabel('Feedback').fill('Mention Assam');
		await press('Reject');
		await shows('The output of write_draft was rejected: Mention Assam');
		await page.locator('.asked').getByText('Revised as asked: Mention Assam').waitFor();
		await page.getByText('1 earlier answer, and what has changed since').click();
		expect(await page.locator('.difference ins').innerText()).toContain('Mention Assam');
		await press('Approve');
		await client.untilStatus(id, 'completed');
		// What kickoff named is still called: the page names it again.
		await until(() => receiver.bodiesAt('/task').length === 2);
		await receiver.close();
		expect(troubles).toEqual([]);
	});

	it('tells the second of two people what the first has done', async () => {
		const id = await askedOnce();
		await open(`#/executions/${id}`);
		await shows('Is the output of write_draft');
		await page.getByLabel('Feedback').fill('Mine');
		// As if the page had not heard of it yet.
		await page.route('**/page/execution?*', (route) => route.abort());
		await client.resume(id, { human_feedback: 'Theirs' });
		await page.unroute('**/page/execution?*');
		await press('Approve');
		await shows(/Theirs/);
		expect((await crew.executions())[0]?.questions[0]?.answer?.feedback).toBe('Theirs');
	});

	it('goes on under the new identifier that some deployments give', async () => {
		await crew.close();
		crew = await startCrewServer({ crew: 'reviewed-article', aspects: { resume: 'new-id' } });
		client = new Client(crew);
		const id = await askedOnce();
		await open(`#/executions/${id}`);
		await press('Approve');
		await page.waitForURL((url) => url.hash.startsWith('#/executions/') && !url.hash.includes(id));
		await page.getByRole('heading', { name: /^Completed/ }).waitFor();
		await page.getByRole('link', { name: 'Inputs' }).click();
		await shows(id);
	});
});

describe('stop', () => {
	it('asks once', async () => {
		const id = await askedOnce();
		await open(`#/executions/${id}`);
		await press('Stop');
		await press('Cancel');
		expect((await crew.executions())[0]?.state).toBe('pending_human_input');
		await press('Stop');
		await press('Stop it');
		await page.getByRole('heading', { name: /^Stopped/ }).waitFor();
		expect((await crew.executions())[0]?.state).toBe('stopped');
	});
});

it('shows callbacks with each try, and sends one again that failed', async () => {
	let isRefused = true;
	const receiver = await startReceiver(() => (isRefused ? 400 : 200));
	const id = await askedOnce({ humanInputWebhook: { url: `${receiver.url}/ask` } });
	await open(`#/executions/${id}/callbacks`);
	await page.getByText('Given up').click();
	await shows('answered 400');
	isRefused = false;
	await press('Send again');
	await shows('Delivered');
	await shows('2 tries');
	expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
	expect(receiver.received).toHaveLength(2);
	await receiver.close();
});

it('shows the lines of the log, what is printed too', async () => {
	const id = await askedOnce();
	await open(`#/executions/${id}/log`);
	await page.getByText('human_feedback_requested').click();
	expect(await page.getByLabel('The whole line').innerText()).toContain('task_id=write_draft');
	await client.resume(id);
	await shows('crew_kickoff_completed');
});

it('tells how to connect, and has the reference of the API', async () => {
	await open('#/connect');
	await shows(crew.url);
	expect(await page.locator('main').innerText()).not.toContain(crew.accessToken);
	await press('Show');
	await shows(crew.accessToken);
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.getByRole('button', { name: 'Copy the line for curl' }).click();
	const line = await page.evaluate('navigator.clipboard.readText()');
	expect(line).toContain(`-H 'Authorization: Bearer ${crew.accessToken}'`);
	await shows('host.docker.internal');
	await page.getByRole('link', { name: 'Reference of the API' }).click();
	await page.locator('summary', { hasText: '/kickoff' }).first().click();
	await page.locator('details[open]').getByText('taskWebhookUrl').waitFor();
	expect(troubles).toEqual([]);
});

it('shows the requests that the simulator was sent', async () => {
	await client.post('/kickoff', { inputs: {} });
	await open('#/requests');
	await page.locator('summary', { hasText: 'POST /kickoff' }).click();
	await shows(/Missing required inputs/);
});

it('asks for the token again if it is refused', async () => {
	await page.goto(crew.url);
	await page.getByLabel('Access token').fill('another');
	await page.keyboard.press('Enter');
	await shows('That is no access token of this crew server.');
	await page.getByLabel('Access token').fill(crew.accessToken);
	await page.keyboard.press('Enter');
	await page.getByText('Live', { exact: true }).waitFor();
	const kept = await page.evaluate('JSON.stringify([localStorage, location.href])');
	expect(kept).not.toContain(crew.accessToken);
});
