import { startCrewServer, type CrewDefinition } from '../../../crew-server/src';
import { storeCrewCredential } from '../../../sandbox/src/crew-credential';
import { usualDialect } from '../../../sandbox/src/crew-dialect';
import { Teardown } from '../../../sandbox/src/teardown';
import { waitFor } from '../../../sandbox/src/wait-for';
import { begunWorkflow, crewOnCanvas, finishedWorkflow, NAMES } from '../support/newWorkflows';
import { takePictures } from '../support/pictures';
import { startUserSession, type UserSession } from '../support/userSession';

/** Deployments on a task queue only name their inputs, without types and which are required. */
const tellsMore = usualDialect() === 'documented';

/** Flows list all fields of their state. */
const FLOW: CrewDefinition = {
	name: 'Flow',
	inputs: ['id', 'topic'].map((name) => ({ name, type: 'string', required: false })),
	tasks: [
		{ name: 'a', description: 'a', expectedOutput: 'a', agent: 'A', output: 'Done', duration: 0 },
	],
};

describe('a user who kicks off a crew', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	test('adds the node, fills in the crew’s inputs, runs it and reads the result', async () => {
		const { api, crew, credential, editor } = session;
		const { id } = await api.createWorkflow(begunWorkflow());
		await editor.openWorkflow(id);
		const creator = await editor.openNodeCreator(NAMES.start);
		await creator.openDetails(await creator.search('CrewAI', 'Crew'));
		const panel = await creator.choose('Actions', 'Kick off crew');
		await panel.showsCredential(credential.name);

		await panel.field('topic').waitFor();
		await panel.field('year').waitFor();
		// Only the required one asks for a value.
		if (tellsMore) expect(await panel.issues()).toEqual(['topic']);
		await panel.field('topic').fill('electric bicycles');
		await panel.field('year').fill('2026');
		await panel.executeStep();

		const output = panel.output();
		await output.getByText('Interest in electric bicycles is growing').first().waitFor();
		const text = await output.innerText();
		expect(text).toContain('completed');
		const executions = await crew.executions();
		expect(executions).toEqual([
			expect.objectContaining({
				inputs: { topic: 'electric bicycles', year: 2026 },
			}),
		]);
		expect(text).toContain(executions[0]!.kickoffId);
		await editor.closeNotices();
		await panel.showSchema();
		await panel.field('operation').scrollIntoViewIfNeeded();
		await takePictures(editor.page, 'kickoff', {
			icon: panel.root,
			readable: [
				panel.root.getByText('topic', { exact: true }),
				panel.root.getByText('year', { exact: true }),
				panel.root.getByText('Wait for the Crew'),
				output.getByText('completed', { exact: true }),
			],
			area: await panel.area(690),
		});
	});

	test('sees the ID of a flow’s state among its inputs only after adding it', async () => {
		const { api, editor } = session;
		const flow = await startCrewServer({ crew: FLOW });
		teardown.add(() => flow.close());
		const credential = await storeCrewCredential(api, flow, 'Flow');
		const { id } = await api.createWorkflow(crewOnCanvas({ wait: 'no' }, credential));
		await editor.openWorkflow(id);
		const panel = await editor.openNode(NAMES.crew);
		await panel.field('topic').fill('bees');
		await panel.hidesField('id');
		await panel.executeStep();
		await panel.output().getByText('started', { exact: true }).waitFor();
		await panel.addInput();
		await panel.field('id').fill('seven');
		await panel.executeStep();
		const started = await waitFor('the second kickoff', async () => {
			const executions = await flow.executions();
			return executions.length === 2 && executions;
		});
		const inputs = started.map((execution) => execution.inputs);
		expect(inputs).toEqual(
			expect.arrayContaining([{ topic: 'bees' }, { id: 'seven', topic: 'bees' }]),
		);
	});

	test('runs the finished workflow, and sees that all nodes have succeeded', async () => {
		const { api, credential, editor } = session;
		const { id } = await api.createWorkflow(finishedWorkflow(credential));
		await editor.openWorkflow(id);
		await editor.page.getByTestId('execute-workflow-button').click();
		await editor.untilSuccess(NAMES.crew, NAMES.check);
		await editor.closeNotices();
		const area = await editor.canvasArea();
		await takePictures(editor.page, 'first-workflow', {
			icon: editor.node(NAMES.crew),
			readable: [NAMES.crew, NAMES.check].map((name) => editor.node(name).getByText(name).first()),
			// Names are wider than nodes, and the lines have numbers of items.
			area: { ...area, x: area.x - 60, width: area.width + 190 },
		});
	});
});
