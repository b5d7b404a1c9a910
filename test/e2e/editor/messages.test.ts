import type { INodeParameters } from 'n8n-workflow';
import { Teardown } from '../../../sandbox/src/teardown';
import { crewOnCanvas, NAMES } from '../support/newWorkflows';
import type { NodePanel } from '../support/nodePanel';
import { takePictures } from '../support/pictures';
import { startUserSession, type UserSession } from '../support/userSession';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('the output of a failed node', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	/** Runs a Crew node with these parameters in its panel. */
	async function run(
		parameters: INodeParameters,
		credential = session.credential,
	): Promise<NodePanel> {
		const { api, editor } = session;
		const { id } = await api.createWorkflow(crewOnCanvas(parameters, credential));
		await editor.openWorkflow(id);
		const panel = await editor.openNode(NAMES.crew);
		await panel.executeStep();
		return panel;
	}

	test('says that the token was not accepted, and where to find the right one', async () => {
		const { api, crew, editor } = session;
		const wrong = await api.createCredential('Crew with a wrong token', 'crewApi', {
			baseUrl: crew.url,
			accessToken: 'not-the-token',
		});
		teardown.add(() => api.deleteCredential(wrong));
		const panel = await run({ operation: 'kickoff', specifyInputs: 'json' }, wrong);
		const { message, advice } = await panel.refusal();
		expect(message).toBe('The crew did not accept the access token');
		// What the crew says and what to do are on one line.
		expect(advice).toMatch(/^The crew says: .+\. Copy the token from the Status tab/);
		await editor.closeNotices();
		await takePictures(editor.page, 'message-wrong-token', {
			icon: panel.root,
			readable: [panel.message(), panel.advice()],
			area: await panel.area(380),
		});
	});

	test('names the missing input, as the crew does', async () => {
		const panel = await run({
			operation: 'kickoff',
			specifyInputs: 'json',
			inputsJson: '{"year": 2026}',
		});
		const { message, advice } = await panel.refusal();
		expect(message).toBe('Required inputs are missing: topic');
		expect(advice).toContain("Fill in these inputs under 'Inputs' of this node.");
	});

	test('names the field that is empty, before anything is sent', async () => {
		const before = session.crew.requests().length;
		const panel = await run({
			operation: 'kickoff',
			inputs: {
				mappingMode: 'defineBelow',
				value: { topic: '={{ "" }}' },
				schema: [
					{
						id: 'topic',
						displayName: 'topic',
						required: true,
						defaultMatch: false,
						display: true,
						type: 'string',
					},
				],
			},
		});
		const { message, advice } = await panel.refusal();
		expect(message).toBe('Required inputs are missing: topic');
		expect(advice).toContain('Nothing was sent to the crew for this item.');
		const sent = session.crew.requests().slice(before);
		expect(sent.filter(({ path }) => path === '/kickoff')).toEqual([]);
	});

	test('does not run if n8n itself sees an empty field', async () => {
		const { editor } = session;
		const before = session.crew.requests().length;
		const { id } = await session.api.createWorkflow(
			crewOnCanvas({ operation: 'kickoff' }, session.credential),
		);
		await editor.openWorkflow(id);
		const panel = await editor.openNode(NAMES.crew);
		await panel.field('topic').waitFor();
		await panel.executeStep();
		await editor.notices().getByText('Input "topic" is required').waitFor();
		const sent = session.crew.requests().slice(before);
		expect(sent.filter(({ path }) => path === '/kickoff')).toEqual([]);
	});

	test.each([
		['stop', { kickoffId: UNKNOWN }, 'The crew has no execution with this kickoff ID'],
		[
			'resume',
			{ kickoffId: UNKNOWN, taskId: 'write_draft', decision: 'approve', humanFeedback: 'Good' },
			'The crew has no such execution or task',
		],
	])('says that an ID is unknown: %s', async (operation, ids, expected) => {
		const panel = await run({ operation, ...ids });
		const { message, advice } = await panel.refusal();
		expect(message).toBe(expected);
		expect(advice).toMatch(
			/Use the kickoff_id (and the task_id of the item|that Kickoff returned)/,
		);
	});
});
