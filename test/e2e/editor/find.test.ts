import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { Teardown } from '../../../sandbox/src/teardown';
import { crewIcons, expectIcon } from '../support/icon';
import { begunWorkflow, NAMES } from '../support/newWorkflows';
import { takePictures } from '../support/pictures';
import { startUserSession, type UserSession } from '../support/userSession';

const codex = JSON.parse(
	readFileSync(join(repositoryFolder, 'nodes', 'Crew', 'Crew.node.json'), 'utf8'),
) as { alias: string[] };

const ACTIONS = [
	'Get inputs of crew',
	'Get status of execution',
	'Kick off crew',
	'Resume execution',
	'Stop execution',
];

const TRIGGERS = [
	'On crew completed',
	'On event stream',
	'On human input requested',
	'On step',
	'On task completed',
];

describe('in n8n’s panel of nodes, a user', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	async function beginWorkflow() {
		const { id } = await session.api.createWorkflow(begunWorkflow());
		await session.editor.openWorkflow(id);
		return await session.editor.openNodeCreator(NAMES.start);
	}

	test('finds the node by its name and by every alias', async () => {
		const creator = await beginWorkflow();
		expect(codex.alias).toEqual(expect.arrayContaining(['CrewAI', 'agents']));
		for (const word of [...codex.alias, 'Crew']) {
			await creator.clearSearch('Crew');
			await expectIcon(crewIcons(await creator.search(word, 'Crew')).first(), 'light');
		}
	});

	test('also finds it as the first node of a workflow', async () => {
		await session.editor.openEmptyWorkflow();
		const creator = await session.editor.openNodeCreator();
		for (const word of ['CrewAI', 'agents', 'Crew']) {
			await creator.clearSearch('Crew');
			await creator.search(word, 'Crew');
		}
		const item = creator.item('Crew');
		await takePictures(session.editor.page, 'find-the-node', {
			icon: item,
			readable: [item.getByText('Crew', { exact: true }), item.getByText('crews of AI agents')],
			area: await creator.area(),
		});
	});

	test('finds it among the nodes about AI', async () => {
		const creator = await beginWorkflow();
		await creator.openGroup('AI');
		await creator.item('Crew').waitFor();
	});

	test('reads what it can do, and adds it with an operation chosen', async () => {
		const creator = await beginWorkflow();
		await creator.openDetails(await creator.search('Crew', 'Crew'));
		expect(await creator.entriesOf('Actions')).toEqual(ACTIONS);
		expect(await creator.entriesOf('Triggers')).toEqual(TRIGGERS);
		const panel = await creator.choose('Actions', 'Resume execution');
		await panel.showsValue('operation', 'Resume');
	});

	test('adds the trigger for one kind of callback', async () => {
		await session.editor.openEmptyWorkflow();
		const creator = await session.editor.openNodeCreator();
		await creator.openDetails(await creator.search('Crew', 'Crew'));
		const panel = await creator.choose('Triggers', 'On human input requested');
		await panel.showsTags('events', 'Human Input Requested');
	});
});
