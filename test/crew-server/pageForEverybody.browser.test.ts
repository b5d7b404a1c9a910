import { readFileSync } from 'node:fs';

import { startCrewServer } from '../../crew-server/src';
import { scriptsInTexts } from './support/attacks';
import { PageDriver } from './support/pageDriver';
import { startReceiver } from './support/receiver';

const on = new PageDriver();
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with what is shown. */
async function faults(): Promise<string[]> {
	return await on.page.evaluate(
		`axe.run().then(({ violations }) =>
			violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
	);
}

const WINDOWS = ([1_280, 390] as const).flatMap((width) =>
	(['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

it.each(WINDOWS)(
	'is as it should be for everybody: $width pixels, $colorScheme',
	async ({ width, colorScheme }) => {
		const done = await on.complete({
			humanInputWebhookUrl: 'http://127.0.0.1:1/a/rather/long/path/for/a/phone',
		});
		const asked = await on.ask();
		await on.client.resume(asked, { is_approve: false, human_feedback: 'Mention Assam' });
		await on.client.untilStatus(asked, 'pending_human_input');
		await on.client.post('/kickoff', { inputs: {} });
		// The test brings its own script, which the page's policy would not load.
		await on.openWindow({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
		await on.page.addInitScript(axe);
		await on.open();
		const views = {
			executions: ['#/executions', done],
			start: ['#/start', 'What the article is about'],
			timeline: [`#/executions/${done}`, 'Legend'],
			question: [`#/executions/${asked}`, 'Approve the output of write_draft'],
			output: [`#/executions/${done}/output`, 'Ready to publish'],
			callbacks: [`#/executions/${done}/callbacks`, 'human input'],
			log: [`#/executions/${done}/log`, 'crew_kickoff_completed'],
			inputs: [`#/executions/${done}/details`, 'topic'],
			connect: ['#/connect', 'From n8n'],
			reference: ['#/reference', '/kickoff'],
			requests: ['#/requests', 'POST /kickoff'],
		};
		for (const [name, [hash = '', text = '']] of Object.entries(views)) {
			await on.show(hash);
			if (name === 'timeline') await on.page.getByRole('button', { name: /^Task/ }).first().click();
			else await on.page.locator('main').getByText(text).first().waitFor();
			expect([name, await faults()]).toEqual([name, []]);
			const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
			expect([name, await on.page.evaluate(wide)]).toEqual([name, 0]);
			const truncated = `[...document.querySelectorAll('.pick, a.row')]
				.filter((row) => row.scrollHeight > row.clientHeight + 1).length`;
			expect([name, await on.page.evaluate(truncated)]).toEqual([name, 0]);
		}
		expect(on.troubles).toEqual([]);
	},
);

const type = async (...keys: string[]) => {
	for (const key of keys) await on.page.keyboard.press(key);
};

/** Goes on with Tab to what has this name. */
const tabTo = async (name: string) => {
	for (let press = 0; press < 60; press++) {
		await on.page.keyboard.press('Tab');
		const focused = await on.page.evaluate(
			'(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()',
		);
		if (String(focused).startsWith(name)) return;
	}
	throw new Error(`Tab never comes to ${name}`);
};

it('is used with the keyboard alone, from a start to an approval and a stop', async () => {
	await on.page.goto(on.crew.url);
	await on.page.getByLabel('Access token').waitFor();
	await on.page.keyboard.type(on.crew.accessToken);
	await type('Enter');
	await on.shows('Nothing has run yet');
	await tabTo('Start');
	await type('Enter');
	await on.page.getByLabel('topic').waitFor();
	await tabTo('topic');
	await on.page.keyboard.type('Tea');
	await tabTo('Start');
	await type('Enter');
	await on.shows('Approve the output of write_draft');
	await tabTo('Feedback');
	await on.page.keyboard.type('Mention Assam');
	await tabTo('Reject');
	await type('Enter');
	await on.page.locator('.asked').getByText('Revised as asked: Mention Assam').waitFor();
	await tabTo('Approve');
	await type('Space');
	await on.page.getByRole('heading', { name: /^Completed/ }).waitFor();
	const bars = on.page.getByRole('group', { name: 'Timeline' });
	await bars.getByRole('button').first().focus();
	await type('ArrowDown', 'ArrowRight', 'Enter');
	await on.page.getByRole('region', { name: 'Question' }).waitFor();
	await tabTo('Run again');
	await type('Enter');
	await on.page.getByLabel('topic').waitFor();
	await tabTo('Start');
	await type('Enter');
	await on.shows('Approve the output of write_draft');
	await tabTo('Stop');
	await type('Enter');
	await on.page.getByRole('heading', { name: 'Stop this execution?' }).waitFor();
	await tabTo('Stop it');
	await type('Enter');
	await on.page.getByRole('heading', { name: /^Stopped/ }).waitFor();
	expect(on.troubles).toEqual([]);
});

it('is searched and read with the keyboard alone', async () => {
	let isRefused = true;
	const receiver = await startReceiver(() => (isRefused ? 400 : 200));
	await on.ask({ inputs: { topic: 'Coffee' } });
	const id = await on.complete({
		inputs: { topic: 'Tea' },
		humanInputWebhookUrl: receiver.url,
	});
	await on.open();
	await on.shows('2 in all');
	await tabTo('Search');
	await on.page.keyboard.type('tea');
	await on.shows('1 in all');
	await tabTo('Completed');
	await type('Enter');
	await on.page.getByRole('heading', { name: id }).waitFor();
	await tabTo('Output');
	await type('Enter');
	await on.shows('Ready to publish');
	await tabTo('Completedwrite_draft');
	await type('Enter');
	await on.page.locator('details[open] h1').waitFor();
	await tabTo('Source');
	await type('Space');
	await on.page.locator('details[open] pre').waitFor();
	await on.show(`#/executions/${id}/callbacks`);
	await tabTo('Given up');
	await type('Enter');
	isRefused = false;
	await tabTo('Send again');
	await type('Enter');
	await on.shows('Delivered');
	await on.show(`#/executions/${id}/log`);
	await on.shows('crew_kickoff_completed');
	await on.page.locator('.line').first().focus();
	await type('ArrowDown', 'Enter');
	await on.page.getByLabel('The whole line').waitFor();
	await tabTo('Connect');
	await type('Enter');
	await tabTo('Show');
	await type('Enter');
	await on.shows(on.crew.accessToken);
	await tabTo('API reference');
	await type('Enter');
	await tabTo('POST/kickoff');
	await type('Enter');
	await on.page.locator('details[open]').getByText('taskWebhookUrl').waitFor();
	await receiver.close();
	expect(on.troubles).toEqual([]);
});

it('is closed to pages at other addresses: their requests are refused, and nothing starts', async () => {
	const elsewhere = await startCrewServer();
	await on.page.goto(`${elsewhere.url}/health`);
	const answers = await on.page.evaluate(`(async () => {
		const ask = (path, options) =>
			fetch('${on.crew.url}' + path, options).then((answer) => answer.type, () => 'refused');
		const headers = { authorization: 'Bearer ${on.crew.accessToken}' };
		const body = '{"inputs": {"topic": "Tea"}}';
		return [
			await ask('/openapi.json'),
			await ask('/page/executions', { headers }),
			await ask('/kickoff', { method: 'POST', headers, body }),
			await ask('/kickoff', { method: 'POST', mode: 'no-cors', body }),
		];
	})()`);
	// An opaque answer is one that the page cannot read.
	expect(answers).toEqual(['refused', 'refused', 'refused', 'opaque']);
	await on.page.setContent(`<iframe src="${on.crew.url}"></iframe>`);
	await on.page.waitForLoadState('networkidle');
	const frame = on.page.frames().at(-1);
	expect(await frame?.locator('.crew-name').count()).toBe(0);
	expect(on.crew.started()).toBe(0);
	await elsewhere.close();
});

it('runs and loads nothing that a crew or a person has written', async () => {
	const attacks = scriptsInTexts('http://evil.example.org');
	expect(attacks.length).toBeGreaterThan(60);
	const topic = attacks.join('\n\n');
	await on.deploy({
		crew: {
			name: '<img src=x onerror=hacked()>',
			description: topic,
			inputs: [{ name: 'topic', type: 'string', required: true, description: topic }],
			tasks: ['write_draft', 'publish'].map((name) => ({
				name,
				description: '{topic}',
				expectedOutput: '{topic}',
				agent: '<svg onload=hacked()>',
				tools: ['<script>hacked()</script>'],
				humanInput: name === 'write_draft',
				output: '{topic}',
			})),
		},
	});
	// Without the page's policy, only the sanitizer keeps them out.
	await on.openWindow({ bypassCSP: true });
	await on.page.exposeFunction('hacked', () => on.troubles.push('a script ran'));
	const asked = await on.ask({ inputs: { topic }, meta: { topic } });
	const done = await on.complete({ inputs: { topic }, meta: { topic } });
	await on.open();
	const views = ['', '/output', '/log', '/details', '/callbacks'].flatMap((tab) => [
		`#/executions/${asked}${tab}`,
		`#/executions/${done}${tab}`,
	]);
	for (const hash of ['#/start', '#/executions', '#/connect', ...views]) {
		await on.show(hash);
		await on.page.locator('main').waitFor();
	}
	await on.show(`#/executions/${asked}`);
	const text = on.page.locator('.asked .markdown');
	await text.waitFor();
	await on.page
		.getByRole('button', { name: /^Model call/ })
		.first()
		.click();
	await on.page.locator('.details .markdown').first().waitFor();
	for (const link of await on.page.locator('.markdown a[href]').all()) {
		expect(await link.getAttribute('href')).toMatch(/^(https?:|mailto:)/);
		expect(await link.getAttribute('rel')).toContain('noopener');
	}
	const left = `[...document.querySelectorAll('.markdown *')].flatMap((one) => [one.localName,
		...one.getAttributeNames().map((name) => '@' + name)])`;
	const found = new Set(await on.page.evaluate<string[]>(left));
	for (const name of [
		'script',
		'iframe',
		'object',
		'embed',
		'form',
		'input',
		'style',
		'svg',
		'math',
		'base',
		'meta',
		'link',
	].concat(['@style', '@onerror', '@onload', '@id', '@class', '@srcset', '@name'])) {
		expect([...found]).not.toContain(name);
	}
	expect([...found]).toContain('p');
	expect(on.troubles).toEqual([]);
});
