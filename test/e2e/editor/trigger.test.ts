import { Teardown } from '../../../sandbox/src/teardown';
import { crewOnCanvas, crewTriggerOnCanvas } from '../support/newWorkflows';
import { takePictures } from '../support/pictures';
import { startUserSession, type UserSession } from '../support/userSession';

describe('a user who tries out the trigger', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	test('chooses nothing to get everything, and event types only for the stream', async () => {
		const { api, credential, editor } = session;
		const { id } = await api.createWorkflow(crewTriggerOnCanvas({}, credential));
		await editor.openWorkflow(id);
		const panel = await editor.openNode('Crew Trigger');
		await panel.showsTags('events');
		await panel.offersOptions('Split Events', 'Verify Execution');
		await panel.tick('events', 'Event Stream');
		await panel.offersOptions('Event Types', 'Split Events', 'Verify Execution');
		await panel.close();
	});

	test('listens for a test event, and sees the crew’s callback arrive', async () => {
		const { api, crew, credential, editor } = session;
		const { id } = await api.createWorkflow(
			crewTriggerOnCanvas({ events: ['crew', 'human_input'] }, credential),
		);
		await editor.openWorkflow(id);
		const panel = await editor.openNode('Crew Trigger');
		const triggerUrl = await panel.testUrl();
		await panel.explainTrigger();
		await panel.root.getByText('Production URL', { exact: true }).click();
		await takePictures(editor.page, 'trigger', {
			icon: panel.root,
			readable: [
				panel.root.getByText('Wait for a callback from the crew'),
				panel.root.getByText('publish it and give the Crew node the production URL'),
				panel.root.getByText('Human Input Requested'),
			],
			area: await panel.areaOfParameters(530),
		});
		await panel.root.getByText('Test URL', { exact: true }).click();
		await panel.executeStep();
		await panel.root.getByText('Listening for test event').waitFor();

		const sender = await api.createWorkflow(
			crewOnCanvas(
				{
					operation: 'kickoff',
					specifyInputs: 'json',
					inputsJson: '{"topic": "bees"}',
					callbacks: 'trigger',
					triggerUrl,
				},
				credential,
			),
		);
		await api.waitForExecution(await api.runWorkflow(sender));

		const output = panel.output();
		await output.getByText('kickoff_id').first().waitFor();
		expect(await panel.columns()).toEqual(expect.arrayContaining(['result', 'received_at']));
		expect((await panel.columns()).slice(0, 2)).toEqual(['event', 'kickoff_id']);
		const text = await output.innerText();
		expect(text).toContain((await crew.executions())[0]!.kickoffId);
		expect(text).toContain('Interest in bees is growing');
		await editor.closeNotices();
		await panel.showSchema();
		await takePictures(editor.page, 'trigger-event', {
			icon: panel.root,
			readable: [
				output.getByText('event', { exact: true }),
				output.getByText('kickoff_id').first(),
			],
			area: await panel.area(670),
		});
	});
});
