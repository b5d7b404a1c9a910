import { readFileSync } from 'node:fs';

import { PageDriver } from './support/pageDriver';
import { startReceiver } from './support/receiver';
import { until } from './support/until';

const on = new PageDriver();

describe('read', () => {
	it('shows Markdown and JSON and their source, and offers them as files', async () => {
		const id = await on.complete({ inputs: { topic: 'Tea', meta: { deep: [1, 'two'] } } });
		await on.open(`#/executions/${id}/output`);
		await on.page.getByRole('region', { name: 'Result' }).getByText('Ready to publish').waitFor();
		const result = on.page.locator('details.entry', { hasText: 'write_draft' });
		await result.locator('summary').click();
		await result.getByRole('heading', { name: 'Tea' }).waitFor();
		await result.getByLabel('Source').check();
		await result.getByText('# Tea').waitFor();
		const waiting = on.page.waitForEvent('download');
		await result.getByRole('button', { name: 'Download write_draft' }).click();
		const file = await waiting;
		expect(file.suggestedFilename()).toBe('write_draft.md');
		expect(readFileSync(await file.path(), 'utf8')).toContain('# Tea');
		await on.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await result.getByRole('button', { name: 'Copy write_draft' }).click();
		await result.getByText('Copied').waitFor();
		const copied = await on.page.evaluate('navigator.clipboard.readText()');
		expect(copied).toContain('# Tea');
		await on.page.getByRole('link', { name: 'Inputs' }).click();
		const tree = on.page.locator('.tree');
		await tree.getByText('2 items').click();
		await tree.getByText('two').waitFor();
		await tree.getByText('2 items').click();
		expect(await tree.getByText('two').isVisible()).toBe(false);
	});

	it('aligns right-to-left text on the right', async () => {
		const id = await on.ask({ inputs: { topic: 'تقرير عن الشاي' } });
		await on.open(`#/executions/${id}`);
		await on.page.locator('.asked h1').waitFor();
		const space = await on.page.evaluate(`(() => {
			const heading = document.querySelector('.asked h1');
			const range = document.createRange();
			range.selectNodeContents(heading);
			return heading.getBoundingClientRect().right - range.getBoundingClientRect().right;
		})()`);
		expect(space).toBeLessThan(1);
	});

	it('shows all of a long text on demand', async () => {
		const id = await on.ask({ inputs: { topic: `${'x '.repeat(15_000)}end` } });
		await on.open(`#/executions/${id}/details`);
		await on.shows(/The first 20,000 of 30,0\d\d characters/);
		const inputs = on.page.getByRole('region', { name: 'Inputs' });
		await inputs.getByRole('button', { name: 'Show all' }).click();
		await inputs.locator('.tree').getByText('x end').waitFor();
	});
});

describe('decide', () => {
	it('approves without a text, and rejects with one', async () => {
		const receiver = await startReceiver();
		const id = await on.ask({ taskWebhookUrl: `${receiver.url}/task` });
		await on.open(`#/executions/${id}`);
		await on.press('Reject');
		await on.shows('Say what to change');
		await on.page.getByLabel('Feedback').fill('Mention Assam');
		await on.press('Reject');
		await on.shows('The output of write_draft was rejected: Mention Assam');
		await on.page.locator('.asked').getByText('Revised as asked: Mention Assam').waitFor();
		await on.page.getByText('1 earlier answer, and what has changed since').click();
		expect(await on.page.locator('.difference ins').innerText()).toContain('Mention Assam');
		await on.press('Approve');
		await on.client.untilStatus(id, 'completed');
		// What kickoff named is still called: the page names it again.
		await until(() => receiver.bodiesAt('/task').length === 2);
		await receiver.close();
		expect(on.troubles).toEqual([]);
	});

	it('tells the second of two people what the first one has decided', async () => {
		const id = await on.ask();
		await on.open(`#/executions/${id}`);
		await on.shows('Approve the output of write_draft');
		await on.page.getByLabel('Feedback').fill('Mine');
		// As if the page did not know it yet.
		await on.page.route('**/page/execution?*', (route) => route.abort());
		await on.client.resume(id, { human_feedback: 'Theirs' });
		await on.page.unroute('**/page/execution?*');
		await on.press('Approve');
		await on.shows(/Theirs/);
		expect((await on.crew.executions())[0]?.questions[0]?.answer?.feedback).toBe('Theirs');
	});

	it('continues under the new identifier that some deployments return', async () => {
		await on.deploy({ crew: 'reviewed-article', aspects: { resume: 'new-id' } });
		const id = await on.ask();
		await on.open(`#/executions/${id}`);
		await on.press('Approve');
		await on.page.waitForURL(
			(url) => url.hash.startsWith('#/executions/') && !url.hash.includes(id),
		);
		await on.page.getByRole('heading', { name: /^Completed/ }).waitFor();
		await on.page.getByRole('link', { name: 'Inputs' }).click();
		await on.shows(id);
	});
});

describe('stop', () => {
	it('asks once', async () => {
		const id = await on.ask();
		await on.open(`#/executions/${id}`);
		await on.press('Stop');
		await on.press('Cancel');
		expect((await on.crew.executions())[0]?.state).toBe('pending_human_input');
		await on.press('Stop');
		await on.press('Stop it');
		await on.page.getByRole('heading', { name: /^Stopped/ }).waitFor();
		expect((await on.crew.executions())[0]?.state).toBe('stopped');
	});
});

it('shows callbacks with each attempt, and sends a failed one again', async () => {
	let isRefused = true;
	const receiver = await startReceiver(() => (isRefused ? 400 : 200));
	const id = await on.ask({ humanInputWebhook: { url: `${receiver.url}/ask` } });
	await on.open(`#/executions/${id}/callbacks`);
	await on.page.getByText('Given up').click();
	await on.shows('answered 400');
	isRefused = false;
	await on.press('Send again');
	await on.shows('Delivered');
	await on.shows('2 tries');
	expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
	expect(receiver.received).toHaveLength(2);
	await receiver.close();
});

it('shows the lines of the log, including printed ones', async () => {
	const id = await on.ask();
	await on.open(`#/executions/${id}/log`);
	await on.page.getByText('human_feedback_requested').click();
	expect(await on.page.getByLabel('The whole line').innerText()).toContain('task_id=write_draft');
	await on.client.resume(id);
	await on.shows('crew_kickoff_completed');
});

it('shows how to connect, and the reference of the API', async () => {
	await on.open('#/connect');
	await on.shows(on.crew.url);
	expect(await on.page.locator('main').innerText()).not.toContain(on.crew.accessToken);
	await on.press('Show');
	await on.shows(on.crew.accessToken);
	await on.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await on.page.getByRole('button', { name: 'Copy the line for curl' }).click();
	const line = await on.page.evaluate('navigator.clipboard.readText()');
	expect(line).toContain(`-H 'Authorization: Bearer ${on.crew.accessToken}'`);
	await on.shows('host.docker.internal');
	await on.page.getByRole('link', { name: 'API reference' }).click();
	await on.page.locator('details.entry').first().waitFor();
	const { paths } = (await (await fetch(`${on.crew.url}/openapi.json`)).json()) as {
		paths: Record<string, object>;
	};
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
	);
	const listed = await on.page.evaluate(
		`[...document.querySelectorAll('details.entry > summary')].map((one) =>
			one.querySelector('.method').textContent + ' ' + one.querySelector('code').textContent)`,
	);
	expect(listed).toEqual(operations);
	await on.page.locator('summary', { hasText: '/kickoff' }).first().click();
	await on.page.locator('details[open]').getByText('taskWebhookUrl').waitFor();
	expect(on.troubles).toEqual([]);
});

it('shows the requests that the simulator received', async () => {
	await on.client.post('/kickoff', { inputs: {} });
	await on.open('#/requests');
	await on.page.locator('summary', { hasText: 'POST /kickoff' }).click();
	await on.shows(/Missing required inputs/);
});

it('asks for the token again if it is refused', async () => {
	await on.page.goto(on.crew.url);
	await on.page.getByLabel('Access token').fill('another');
	await on.page.keyboard.press('Enter');
	await on.shows('That is not an access token of this crew server.');
	await on.page.getByLabel('Access token').fill(on.crew.accessToken);
	await on.page.keyboard.press('Enter');
	await on.page.getByText('Live', { exact: true }).waitFor();
	const kept = await on.page.evaluate('JSON.stringify([localStorage, location.href])');
	expect(kept).not.toContain(on.crew.accessToken);
});
