import { Teardown } from '../../../sandbox/src/teardown';
import { chatEngine } from '../support/chatEngine';
import { heldCrew } from '../support/heldCrew';
import { crewOnCanvas, NAMES } from '../support/newWorkflows';
import { startPatientModel, type PatientModel } from '../support/patientModel';
import { takePictures } from '../support/pictures';
import { waitUntilParked } from '../support/runs';
import { startUserSession, type UserSession } from '../support/userSession';

describe('a user who waits until the crew calls back', () => {
	const teardown = new Teardown();
	let session: UserSession;
	let model: PatientModel;

	beforeAll(async () => {
		model = await startPatientModel(teardown);
		const engine = chatEngine(heldCrew, model.url);
		session = await startUserSession(teardown, { engine });
	});

	afterAll(() => teardown.run());

	test('sees on the canvas that it waits and for what, and then that it has continued', async () => {
		const { api, credential, editor } = session;
		const { page } = editor;
		const workflow = await api.createWorkflow(
			crewOnCanvas(
				{
					operation: 'kickoff',
					specifyInputs: 'json',
					inputsJson: '{"topic": "bees"}',
				},
				credential,
			),
		);
		await editor.openWorkflow(workflow.id);
		await page.getByTestId('execute-workflow-button').click();

		await editor.untilWaiting(NAMES.crew);
		await waitUntilParked(session, workflow);
		const panel = await editor.openNode(NAMES.crew);
		const tooltip = panel.output().getByText('Waiting until the crew ends or asks for human input');
		await takePictures(page, 'waiting', {
			icon: panel.root,
			readable: [tooltip],
			area: await panel.area(642),
		});
		expect(await panel.output().getByText('n8n cannot call').count()).toBe(0);
		await panel.close();

		model.answer('Bees are kept in more cities every year');
		await editor.untilSuccess(NAMES.crew, NAMES.after);
		await editor.openNode(NAMES.crew);
		await panel.output().getByText('completed', { exact: true }).waitFor();
		expect(await panel.output().innerText()).toContain('Bees are kept in more cities every year');
		await panel.close();
	});
});
