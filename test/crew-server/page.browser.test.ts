import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openPage } from '../e2e/support/chromium';
import { Client } from './support/client';
import { PageDriver } from './support/pageDriver';
import { until } from './support/until';

const TASK = { name: 'write', description: 'x', expectedOutput: 'x', agent: 'Writer', output: 'x' };

const on = new PageDriver();

describe('start', () => {
	it("has a form made from the inputs, with the API's messages next to the fields, and remembers the last values", async () => {
		await on.open();
		await on.page.getByRole('link', { name: 'Start', exact: true }).click();
		await on.page.getByLabel('audience').fill('Beginners');
		await on.press('Start');
		await on.shows('is required');
		const topic = on.page.getByLabel('topic');
		expect(await topic.getAttribute('aria-invalid')).toBe('true');
		const described = await topic.getAttribute('aria-describedby');
		expect(described).toBe('input-topic-problem input-topic-note');
		const field = on.page.locator('.field', { has: topic });
		expect(await field.locator('#input-topic-problem').innerText()).toBe('is required');
		await on.page.locator('textarea:focus[id=input-topic]').waitFor();
		await topic.fill('Tea');
		await on.press('Start');
		await on.page.waitForURL(/#\/executions\/[\w-]+$/);
		await on.shows('Approve the output of write_draft?');
		await on.show('#/start');
		expect(await on.page.getByLabel('topic').inputValue()).toBe('Tea');
		expect(await on.page.getByLabel('audience').inputValue()).toBe('Beginners');
		const [execution] = await on.crew.executions();
		expect(execution?.inputs).toEqual({ topic: 'Tea', audience: 'Beginners' });
	});

	it('accepts JSON, and runs an execution again with inputs that can be changed', async () => {
		const id = await on.ask({ inputs: { topic: 'Tea', more: { a: [1] } } });
		await on.open(`#/executions/${id}`);
		await on.page.getByRole('link', { name: 'Run again' }).click();
		expect(await on.page.getByLabel('topic').inputValue()).toBe('Tea');
		await on.page.getByLabel('Inputs as JSON').check();
		const json = on.page.getByLabel('Inputs', { exact: true });
		expect(JSON.parse(await json.inputValue())).toEqual({ topic: 'Tea', more: { a: [1] } });
		await json.fill('{');
		await on.press('Start');
		await on.shows('That is not JSON');
		await json.fill('{"topic": "Coffee", "more": null}');
		await on.page.getByLabel('Inputs as JSON').uncheck();
		expect(await on.page.getByLabel('topic').inputValue()).toBe('Coffee');
		await on.press('Start');
		await on.page.waitForURL((url) => !url.hash.includes(id) && url.hash.includes('/executions/'));
		expect((await on.crew.executions()).at(-1)?.inputs).toEqual({ topic: 'Coffee', more: null });
	});

	it('reads inputs of any shape, and sends numbers as numbers', async () => {
		const inputs = [
			{ name: 'year', type: 'integer' as const, required: true },
			{ name: 'isLong', type: 'boolean' as const, required: false },
		];
		const definition = {
			name: 'typed',
			inputs,
			tasks: [TASK],
		};
		for (const inputsShape of ['objects', 'types'] as const) {
			await on.deploy({ crew: definition, aspects: { inputsShape } });
			await on.open('#/start');
			await on.page.getByLabel('year').fill('2026');
			await on.page.getByLabel('isLong').selectOption('true');
			await on.press('Start');
			await on.page.waitForURL(/#\/executions\//);
			expect((await on.crew.executions())[0]?.inputs).toEqual({ year: 2026, isLong: true });
		}
	});

	it('starts with defaults, shows examples, and accepts lists and objects', async () => {
		const inputs = [
			{ name: 'topic', required: true, default: 'Tea', examples: ['Coffee'] },
			{ name: 'year', type: 'integer', examples: [2026], description: 'The year to look at' },
			{ name: 'regions', type: 'array', default: ['EMEA'] },
			{ name: 'options', type: 'object' },
		] as const;
		await on.deploy({
			crew: {
				name: 'report',
				inputs: inputs.map((one) => ({ type: 'string', required: false, ...one })),
				tasks: [TASK],
			},
		});
		await on.open('#/start');
		const field = (name: string) => on.page.getByLabel(name);
		await field('topic').waitFor();
		expect(await field('topic').inputValue()).toBe('Tea');
		expect(await field('topic').getAttribute('aria-required')).toBe('true');
		expect(await field('topic').getAttribute('placeholder')).toBe('Coffee');
		expect(await field('year').getAttribute('placeholder')).toBe('2026');
		expect(await field('year').inputValue()).toBe('');
		await on.shows('The year to look at');
		await field('options').fill('{"deep": {"list": [1, "two"]}}');
		const sent = on.page.waitForRequest('**/kickoff');
		await on.press('Start');
		expect((await sent).postDataJSON()).toEqual({
			inputs: { topic: 'Tea', regions: ['EMEA'], options: { deep: { list: [1, 'two'] } } },
		});
	});
});

describe('find', () => {
	it('finds by text, state and day, and pages through all there are', async () => {
		await on.deploy({ crew: 'research' });
		const ids: string[] = [];
		for (let index = 0; index < 130; index++) {
			const order = { inputs: { topic: `Topic ${index}` }, meta: { order: `Order ${index}` } };
			ids.push(await on.client.kickoff(order));
			if (index === 7) await on.client.post(`/stop/${ids[7]}`);
		}
		await on.open();
		await on.shows('The newest 100; scroll for more');
		const list = on.page.getByRole('list', { name: 'Executions' });
		await list.getByRole('link').first().focus();
		await on.page.keyboard.press('End');
		await on.shows('130 in all');
		await on.page.keyboard.press('End');
		await list.getByText('Topic 0', { exact: false }).last().waitFor();
		await on.page.getByLabel('Search').fill('order 42');
		await on.shows('1 in all');
		await list.getByText('topic: Topic 42').waitFor();
		await on.page.getByLabel('Search').fill('');
		await on.page.getByLabel('State').selectOption('Stopped');
		await list.getByText('topic: Topic 7').waitFor();
		await on.shows('1 in all');
		await on.page.getByLabel('State').selectOption('Any');
		await on.page.getByLabel('To', { exact: true }).fill('2020-01-01');
		await on.shows('None found');
		await on.page.getByLabel('To', { exact: true }).fill('');
		await on.page.getByLabel('Search').fill(ids[99]!.slice(0, 13));
		await list.getByRole('link', { name: 'Topic 99' }).click();
		await on.page.waitForURL(`**/#/executions/${ids[99]}`);
		expect(on.troubles).toEqual([]);
	});

	it('follows changes, and has an address without a token for each execution', async () => {
		await on.open();
		await on.shows('Nothing has run yet');
		const id = await on.ask();
		const row = on.page.locator('a.row');
		await row.getByText('Asks a person').waitFor();
		await on.client.resume(id);
		await row.getByText('Completed').waitFor();
		const [execution] = await on.crew.executions();
		const { tokenUsage } = execution!;
		const facts = (await row.innerText()).split('\n');
		expect(facts).toEqual(expect.arrayContaining([id, 'Access token']));
		expect(facts.some((text) => /^\d.* m?s$/.test(text))).toBe(true);
		expect(facts.join(' ')).toContain(tokenUsage.total_tokens.toLocaleString('en'));
		await row.click();
		await on.shows('The access token');
		const address = on.page.url();
		expect(address).toBe(`${on.crew.url}/#/executions/${id}`);
		const colleague = await openPage(on.browser);
		await colleague.goto(address);
		await colleague.getByLabel('Access token').fill(on.crew.accessToken);
		await colleague.keyboard.press('Enter');
		await colleague.getByText('Is the output').waitFor({ state: 'detached' });
		await colleague.getByRole('heading', { name: id }).waitFor();
		expect(colleague.url()).toBe(address);
		await colleague.close();
	});

	it('shows clients with the user token what was started with it, and nothing else', async () => {
		const own = await new Client(on.crew, on.crew.userAccessToken).kickoff();
		const other = await on.client.kickoff();
		await on.open('#/executions', on.crew.userAccessToken);
		await on.shows('1 in all');
		await on.shows('User token');
		await on.show(`#/executions/${other}`);
		await on.shows('There is no such execution, or this token does not reach it.');
		await on.show(`#/executions/${own}`);
		await on.page.getByRole('heading', { name: own }).waitFor();
	});
});

describe('watch', () => {
	it('has a timeline that grows, and shows the details of each bar', async () => {
		const id = await on.client.kickoff();
		await on.open(`#/executions/${id}`);
		const timeline = on.page.getByRole('group', { name: 'Timeline' });
		await timeline.getByRole('button', { name: /^Question/ }).waitFor();
		await on.client.resume(id, { is_approve: false, human_feedback: 'Mention Assam' });
		await until(
			async () => (await timeline.getByRole('button', { name: /^Question/ }).count()) === 2,
		);
		await on.client.resume(id);
		await timeline.getByRole('button', { name: /^Task publish/ }).waitFor();
		expect(await timeline.getByRole('button', { name: /^Task write_draft/ }).count()).toBe(2);

		const details = on.page.locator('.details');
		await timeline
			.getByRole('button', { name: /^Model call/ })
			.nth(1)
			.click();
		await details.getByText('Mention Assam').first().waitFor();
		expect(await details.innerText()).toMatch(/Tokens\s+\d+ \(\d+ in, \d+ out\)/);
		expect(await details.innerText()).toContain('The events do not say: Model.');
		await timeline.getByRole('button', { name: /^Tool/ }).first().press('Enter');
		await details.getByRole('heading', { name: 'Arguments' }).waitFor();
		await details.getByText('found what was asked for').waitFor();
		await timeline
			.getByRole('button', { name: /^Question/ })
			.first()
			.click();
		await details.getByText('The events do not say when the answer came').waitFor();
		expect(await details.getByRole('heading', { level: 2 }).innerText()).toMatch(
			/^\s*Question\s*$/,
		);
		await on.page.getByRole('list', { name: 'Steps' }).getByText('write_draft').first().waitFor();
		expect(on.troubles).toEqual([]);
	});

	it('shows which task failed, and why', async () => {
		on.crew.setFaults(['task-fails@publish']);
		const id = await on.ask();
		await on.client.resume(id);
		await on.open(`#/executions/${id}`);
		await on.page.getByLabel('Why it failed').getByText('The task publish failed').waitFor();
		await on.page
			.getByRole('button', { name: /^Task publish failed/ })
			.first()
			.click();
		await on.page.locator('.details').getByText('The task publish failed').waitFor();
	});

	it('asks for the token if the server has a new one, and stays in place', async () => {
		const port = Number(new URL(on.crew.url).port);
		await on.open(`#/executions/${await on.ask()}`);
		await on.shows('Approve the output of write_draft');
		const address = on.page.url();
		await on.deploy({ crew: 'reviewed-article', port, accessToken: 'another-token' });
		await on.page.getByLabel('Access token').fill('another-token');
		await on.page.keyboard.press('Enter');
		await on.shows('There is no such execution');
		expect(on.page.url()).toBe(address);
	});

	it('says when a stopped execution ended', async () => {
		const id = await on.ask();
		await on.client.post(`/stop/${id}`);
		await on.open(`#/executions/${id}`);
		await on.page.getByRole('button', { name: /^Crew reviewed-article, \d/ }).waitFor();
		await on.page.getByRole('button', { name: 'Question, no end told' }).click();
		await on.page.locator('.details').getByText('The events do not say when it ended').waitFor();
	});

	it('continues across a restart of the server', async () => {
		const dataFolder = mkdtempSync(join(tmpdir(), 'crew-data-'));
		const port = Number(new URL(on.crew.url).port);
		const { accessToken } = on.crew;
		const options = { crew: 'reviewed-article', port, accessToken, dataFolder };
		await on.deploy(options);
		const id = await on.ask();
		await on.open(`#/executions/${id}`);
		await on.shows('Approve the output of write_draft');
		await on.crew.close();
		await on.shows('The crew server does not answer; trying again');
		await on.deploy(options);
		await on.page.getByText('Live', { exact: true }).waitFor();
		await until(() => on.client.get(`/${id}/status`).catch(() => undefined));
		await on.client.resume(id);
		await on.page
			.getByRole('button', { name: /^Task publish/ })
			.first()
			.waitFor();
		await on.crew.close();
		rmSync(dataFolder, { recursive: true });
	});
});
