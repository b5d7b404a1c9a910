import { Teardown } from '../../../sandbox/src/teardown';
import { crewIcons, expectIcon, type Theme } from '../support/icon';
import { crewOnCanvas, NAMES } from '../support/newWorkflows';
import { startUserSession, type UserSession } from '../support/userSession';

describe('in the theme that a user has chosen in n8n’s settings', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	test.each([
		['Dark theme', 'dark'],
		['Light theme', 'light'],
	] as const)('the icon is drawn for it: %s', async (choice, theme: Theme) => {
		const { api, credential, editor } = session;
		const { id } = await api.createWorkflow(crewOnCanvas({ operation: 'getInputs' }, credential));
		await editor.chooseTheme(choice);
		await editor.openWorkflow(id);
		await expectIcon(crewIcons(editor.node(NAMES.crew)).first(), theme);
		const panel = await editor.openNode(NAMES.crew);
		await expectIcon(crewIcons(panel.root).first(), theme);
		const dialog = await panel.editCredential();
		await expectIcon(crewIcons(dialog.root).first(), theme);
	});
});
