import type { Theme } from '../e2e/support/icon';
import { takePicture } from '../e2e/support/pictures';
import { PageDriver } from './support/pageDriver';

const on = new PageDriver();

const TASKS = [
	{
		name: 'research',
		agent: 'Researcher',
		tools: ['web_search', 'read_page', 'web_search', 'read_page'],
		duration: 900,
		output: '- Assam grows half of the tea of India.\n- Darjeeling grows the most expensive one.',
	},
	{
		name: 'write_draft',
		agent: 'Writer',
		tools: ['style_guide'],
		duration: 500,
		humanInput: true,
		output:
			'# {topic}\n\n{topic} begins with water: **95 °C** for black leaves, **75 °C** for green ones.',
	},
	{ name: 'publish', agent: 'Editor', duration: 300, output: 'Ready to publish: {topic}.' },
].map((task) => ({ description: 'About {topic}', expectedOutput: 'A text', ...task }));

/** Takes a picture in each theme, at twice the pixels. */
async function takeInEachTheme(
	name: string,
	height: number,
	hash: string,
	show: () => Promise<void>,
) {
	for (const colorScheme of ['light', 'dark'] as const satisfies readonly Theme[]) {
		const viewport = { width: 1_120, height };
		await on.openWindow({ viewport, colorScheme, deviceScaleFactor: 2 });
		await on.open(hash);
		await show();
		await takePicture(on.page, colorScheme === 'light' ? name : `${name}.dark`);
	}
}

it('looks as the documents show it', async () => {
	const inputs = [{ name: 'topic', type: 'string' as const, required: true }];
	await on.deploy({ crew: { name: 'article', inputs, tasks: TASKS } });
	const ids = [];
	for (const topic of ['Coffee for beginners', 'Cocoa', 'Mate', 'Rooibos at home', 'Tea']) {
		ids.push(await on.ask({ inputs: { topic } }));
	}
	const [coffee = '', cocoa = '', mate = '', , tea = ''] = ids;
	const rejection = { is_approve: false, human_feedback: 'Say how long it takes' };
	for (const id of [coffee, tea]) {
		await on.client.resume(id, rejection);
		await on.client.untilStatus(id, 'running');
		await on.client.untilStatus(id, 'pending_human_input');
	}
	for (const id of [coffee, cocoa]) await on.client.resume(id);
	await on.client.untilStatus(coffee, 'completed');
	await on.client.post(`/stop/${mate}`);

	await takeInEachTheme('page-executions', 500, '#/executions', () => on.shows('5 in all'));
	await takeInEachTheme('page-timeline', 950, `#/executions/${coffee}`, async () => {
		await on.page
			.getByRole('button', { name: /^Tool web_search/ })
			.first()
			.click();
		await on.shows('found what was asked for');
	});
	await takeInEachTheme('page-question', 822, `#/executions/${tea}`, async () => {
		await on.page.getByText('1 earlier answer').click();
		await on.page.locator('.difference ins').waitFor();
	});
	expect(on.troubles).toEqual([]);
});
