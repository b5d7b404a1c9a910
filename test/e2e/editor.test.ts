import { FIRST_EXAMPLE, SECOND_EXAMPLE } from '../../sandbox/src/first-example';
import { importExamples } from '../../sandbox/src/examples';
import type { StoredWorkflow } from '../../sandbox/src/n8n-api';
import { findFreePort } from '../../sandbox/src/ports';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { launchChromium } from './support/chromium';
import { Editor } from './support/editor';
import { takePicture } from './support/pictures';

describe('in n8n’s editor', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;
	let editor: Editor;
	let workflow: StoredWorkflow;

	beforeAll(async () => {
		sandbox = await startSandbox({ teardown });
		const files = [SECOND_EXAMPLE, FIRST_EXAMPLE];
		workflow = (await importExamples(sandbox.api, sandbox.credential, files)).get(FIRST_EXAMPLE)!;
		const browser = await launchChromium();
		teardown.add(() => browser.close());
		editor = await Editor.open(browser, sandbox.url, sandbox.login);
	});

	afterAll(() => teardown.run());

	test('the crew’s inputs appear as fields of a new node', async () => {
		const { api, credential } = sandbox;
		const untouched = await api.createWorkflow({
			name: 'A Crew node as it is added',
			nodes: [
				{
					id: 'b7c0a3de-51c4-4a55-9f2e-0d0f7c8a1e01',
					name: 'Crew',
					type: 'n8n-nodes-crew.crew',
					typeVersion: 1,
					position: [0, 0],
					parameters: { operation: 'kickoff' },
					credentials: { crewApi: { id: credential.id, name: credential.name } },
				},
			],
			connections: {},
		});
		await editor.openWorkflow(untouched.id);
		await editor.openNode('Crew');
		await editor.parameter('topic').waitFor();
		await editor.parameter('year').waitFor();
		await editor.screenshot('kickoff-inputs');
	});

	test('the credential’s test says what is wrong', async () => {
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Kick Off the Crew');
		const { url, accessToken } = sandbox.crew;
		await editor.openCredential();
		await editor.saveCredential({ accessToken: 'wrong' }, 'did not accept the access token');
		await editor.screenshot('credential-wrong-token');

		const deadAddress = `http://127.0.0.1:${await findFreePort()}`;
		await editor.saveCredential({ baseUrl: deadAddress, accessToken }, 'refuses the connection');
		await editor.screenshot('credential-wrong-address');

		await editor.saveCredential({ baseUrl: sandbox.url }, 'No crew answers at this address');
		await editor.screenshot('credential-no-crew');

		await editor.saveCredential({ baseUrl: url }, 'Connection tested successfully');
		await editor.screenshot('credential-right');
	});

	test('a run shows its result', async () => {
		await editor.openWorkflow(workflow.id);
		await editor.execute('Kick Off the Crew', 'Note the Run');
		await editor.screenshot('canvas-after-a-run');
		await editor.openNode('Kick Off the Crew');
		await editor.output().getByText('kickoff_id').first().waitFor();
		expect(await editor.output().innerText()).toContain('started');
		await takePicture(editor.page, 'kickoff');
	});
});
