import { Teardown } from '../../../sandbox/src/teardown';
import type { NodePanel } from '../support/nodePanel';
import { crewOnCanvas, NAMES } from '../support/newWorkflows';
import { startUserSession, type UserSession } from '../support/userSession';

const INPUTS = ['topic', 'year'];
const LIMIT = ['limitWaitTime', 'resumeAmount', 'resumeUnit'];
/** The options of a Kickoff that does not wait. */
const ALWAYS = [
	'Include Workflow Details',
	'Max Parallel Requests',
	'Meta',
	'Restore From State ID',
];
/** The options of an operation that waits. */
const WAITING = ['Keep Execution Running', 'Poll Interval (Seconds)', 'Simplify'];

const sorted = (...names: string[]) => names.sort((a, b) => a.localeCompare(b));

describe('the fields of the node', () => {
	const teardown = new Teardown();
	let session: UserSession;
	let panel: NodePanel;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	beforeEach(async () => {
		const { api, credential, editor } = session;
		const { id } = await api.createWorkflow(crewOnCanvas({}, credential));
		await editor.openWorkflow(id);
		panel = await editor.openNode(NAMES.crew);
		await panel.field('topic').waitFor();
	});

	afterEach(() => panel.close());

	test('are those of the chosen operation', async () => {
		const kickoff = ['operation', 'specifyInputs', ...INPUTS, 'wait', ...LIMIT, 'callbacks'];
		const others = {
			'Get Inputs': ['operation'],
			'Get Status': ['operation', 'kickoffId', 'wait'],
			Resume: [
				'operation',
				'kickoffId',
				'taskId',
				'decision',
				'humanFeedback',
				'wait',
				...LIMIT,
				'callbacks',
				'sameCallbacks',
			],
			Stop: ['operation', 'kickoffId'],
		};
		await panel.showsFields(...kickoff);
		for (const [operation, fields] of Object.entries(others)) {
			await panel.choose('operation', operation);
			await panel.showsFields(...fields);
		}
		await panel.choose('operation', 'Kickoff');
		await panel.showsFields(...kickoff);
	});

	test('offer the options of the chosen operation, by name', async () => {
		await panel.offersOptions(
			...sorted(...ALWAYS, ...WAITING, 'Subscribe to Failures', 'Detect Completion'),
		);
		await panel.choose('operation', 'Get Status');
		await panel.offersOptions('Max Parallel Requests', 'Simplify');
		await panel.choose('operation', 'Resume');
		await panel.offersOptions(...sorted('Max Parallel Requests', ...WAITING, 'Detect Completion'));
	});

	test('offer an option only if it has an effect', async () => {
		await panel.addOption('Keep Execution Running');
		await panel.toggle('hold');
		const further = ['Poll Interval (Seconds)', 'Simplify', 'Stop on Cancel'];
		await panel.offersOptions(...sorted(...ALWAYS, ...further));
		await panel.choose('wait', 'No');
		await panel.offersOptions(...ALWAYS);
		await panel.choose('callbacks', 'Crew Trigger');
		await panel.showsField('triggerUrl');
		await panel.offersOptions(...ALWAYS);
		await panel.tick('triggerEvents', 'Event Stream');
		await panel.offersOptions(...ALWAYS, 'Stream Event Types');
	});

	test('say how the end is noticed, and subscribe to failures only with callbacks', async () => {
		await panel.addOption('Detect Completion');
		await panel.offersOptions(...sorted(...ALWAYS, ...WAITING, 'Subscribe to Failures'));
		await panel.choose('noticeBy', 'By Polling');
		await panel.offersOptions(...sorted(...ALWAYS, ...WAITING));
	});

	test('have the title Inputs, and require a decision before Resume runs', async () => {
		await panel.root.getByText('Inputs', { exact: true }).waitFor();
		expect(await panel.root.getByText('Values to Send').count()).toBe(0);
		await panel.choose('operation', 'Resume');
		await panel.showsValue('decision', '');
		await panel.choose('decision', 'Reject');
		await panel.showsValue('decision', 'Reject');
	});

	test('show how long to wait only if the node waits, and a limit only if there is one', async () => {
		for (const name of LIMIT) await panel.showsField(name);
		await panel.toggle('limitWaitTime');
		await panel.hidesField('resumeAmount');
		await panel.showsField('limitWaitTime');
		await panel.choose('wait', 'No');
		for (const name of LIMIT) await panel.hidesField(name);
	});

	test('ask for addresses only if the crew calls someone, and for JSON instead of fields', async () => {
		await panel.choose('callbacks', 'Crew Trigger');
		for (const name of ['triggerUrl', 'triggerEvents']) await panel.showsField(name);
		await panel.showsTags('triggerEvents', 'Crew Completed', 'Human Input Requested');
		await panel.choose('callbacks', 'Custom URLs');
		await panel.hidesField('triggerUrl');
		await panel.root.getByText('Callback URLs').waitFor();
		await panel.choose('specifyInputs', 'Using JSON');
		await panel.showsField('inputsJson');
		for (const name of INPUTS) await panel.hidesField(name);
	});
});
