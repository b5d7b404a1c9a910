import { findFreePort } from '../../../sandbox/src/ports';
import { Teardown } from '../../../sandbox/src/teardown';
import { begunWorkflow, NAMES } from '../support/newWorkflows';
import { takePictures } from '../support/pictures';
import { startUserSession, type UserSession } from '../support/userSession';

describe('a user who creates a credential', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	test('reads about each mistake what it was, and sees the test succeed in the end', async () => {
		const { api, crew, editor, url } = session;
		const { id } = await api.createWorkflow(begunWorkflow());
		await editor.openWorkflow(id);
		const creator = await editor.openNodeCreator(NAMES.start);
		await creator.openDetails(await creator.search('Crew', 'Crew'));
		const panel = await creator.choose('Actions', 'Kick off crew');
		const dialog = await panel.createCredential();

		await dialog.enter({ baseUrl: crew.url, accessToken: 'not-the-token' });
		await dialog.save();
		const wrongToken = await dialog.refusal();
		expect(wrongToken).toContain('The crew did not accept the access token.');
		expect(wrongToken).toContain('Copy the token from the Status tab');
		await editor.closeNotices();
		await takePictures(editor.page, 'credential-wrong-token', {
			icon: dialog.root,
			readable: [dialog.root.getByText('The crew did not accept the access token')],
			area: await dialog.area(),
		});

		await dialog.enter({ baseUrl: url, accessToken: crew.accessToken });
		await dialog.save();
		const noCrew = await dialog.refusal('No crew answers at this address');
		expect(noCrew).toContain('Copy the base URL from the crew’s dashboard');

		await dialog.enter({ baseUrl: `http://127.0.0.1:${await findFreePort()}` });
		await dialog.save();
		const nothing = await dialog.refusal('The crew’s server refuses the connection');
		expect(nothing).toContain('Check the base URL');
		expect(nothing).toContain('(ECONNREFUSED)');

		await dialog.enter({ baseUrl: crew.url });
		await dialog.save();
		await dialog.closed();
		await panel.showsCredential('Crew account');
		const saved = await panel.editCredential();
		await saved.success();
		await editor.closeNotices();
		await takePictures(editor.page, 'credential', {
			icon: saved.root,
			readable: [
				'Base URL',
				'Access Token',
				'Callback Secret',
				'Connection tested successfully',
			].map((text) => saved.root.getByText(text)),
			area: await saved.area(),
		});
		await saved.close();
		// The new credential works, so the crew's inputs appear.
		await panel.field('topic').waitFor();
	});
});
