import { Teardown } from '../../../sandbox/src/teardown';
import type { NodePanel } from '../support/nodePanel';
import { crewOnCanvas, NAMES } from '../support/newWorkflows';
import { startUserSession, type UserSession } from '../support/userSession';

const INPUTS = ['topic', 'year'];
const LIMIT = ['limitWaitTime', 'resumeAmount', 'resumeUnit'];
const TRIGGER_OPTIONS = ['Callback Authentication', 'Stream Event Types'];
const PARKING_OPTIONS = ['Failure Events', 'Short Look (Seconds)'];
const POLLING_OPTIONS = ['Poll Interval (Seconds)', 'Stop on Cancel'];

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

	test('are those of the operation that is chosen', async () => {
		const seen: Record<string, string[]> = { Kickoff: await panel.fieldNames() };
		for (const operation of ['Get Inputs', 'Get Status', 'Resume', 'Stop']) {
			await panel.choose('operation', operation);
			seen[operation] = await panel.fieldNames();
		}
		await panel.choose('operation', 'Kickoff');
		await panel.field('topic').waitFor();
		seen['Kickoff again'] = await panel.fieldNames();
		const kickoff = ['operation', 'specifyInputs', ...INPUTS, 'wait', 'callbacks'];
		expect(seen).toEqual({
			Kickoff: kickoff,
			'Get Inputs': ['operation'],
			'Get Status': ['operation', 'kickoffId', 'wait'],
			Resume: [
				'operation',
				'executionId',
				'taskId',
				'isApprove',
				'humanFeedback',
				'wait',
				'callbacks',
				'sameCallbacks',
			],
			Stop: ['operation', 'kickoffId'],
			'Kickoff again': kickoff,
		});
	});

	test('offer the options of the operation that is chosen, by their names', async () => {
		const offered: Record<string, string[]> = { Kickoff: await panel.optionNames() };
		for (const operation of ['Get Status', 'Resume']) {
			await panel.choose('operation', operation);
			offered[operation] = await panel.optionNames();
		}
		expect(offered).toEqual({
			Kickoff: ['Max Parallel', 'Meta', 'Trace in Meta'],
			'Get Status': ['Max Parallel', 'Simplify'],
			// Its callbacks go on as before.
			Resume: ['Callback Authentication', 'Max Parallel'],
		});
	});

	test('offer an option only where it has an effect', async () => {
		const always = ['Max Parallel', 'Meta', 'Trace in Meta'];
		const waiting = [...always, ...POLLING_OPTIONS, 'Simplify'];
		await panel.choose('wait', 'By Polling');
		expect(await panel.optionNames()).toEqual([...waiting].sort());
		await panel.choose('wait', 'Until the Crew Calls Back');
		expect(await panel.optionNames()).toEqual([...waiting, ...PARKING_OPTIONS].sort());
		await panel.choose('wait', 'No');
		await panel.choose('callbacks', 'To a Crew Trigger');
		expect(await panel.optionNames()).toEqual([...always, ...TRIGGER_OPTIONS].sort());
	});

	test('show how long to wait only where something is waited for, and a limit only where there is one', async () => {
		await panel.choose('wait', 'Until the Crew Calls Back');
		expect(await panel.fieldNames()).toEqual(expect.arrayContaining(LIMIT));
		await panel.toggle('limitWaitTime');
		expect(await panel.fieldNames()).toContain('limitWaitTime');
		expect(await panel.fieldNames()).not.toContain('resumeAmount');
		await panel.choose('wait', 'By Polling');
		expect(await panel.fieldNames()).toContain('limitWaitTime');
		await panel.choose('wait', 'No');
		for (const name of LIMIT) expect(await panel.fieldNames()).not.toContain(name);
	});

	test('ask for addresses only where somebody is called, and for JSON instead of fields', async () => {
		await panel.choose('callbacks', 'To a Crew Trigger');
		expect(await panel.fieldNames()).toEqual(
			expect.arrayContaining(['triggerUrl', 'triggerEvents']),
		);
		expect(await panel.tags('triggerEvents')).toEqual(['Crew Completed', 'Human Input Wanted']);
		await panel.choose('callbacks', 'Own URLs');
		expect(await panel.fieldNames()).not.toContain('triggerUrl');
		await panel.root.getByText('Callback URLs').waitFor();
		await panel.choose('specifyInputs', 'Using JSON');
		const names = await panel.fieldNames();
		expect(names).toContain('inputsJson');
		for (const name of INPUTS) expect(names).not.toContain(name);
	});
});
