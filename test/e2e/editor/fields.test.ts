import { Teardown } from '../../../sandbox/src/teardown';
import type { NodePanel } from '../support/nodePanel';
import { crewOnCanvas, NAMES } from '../support/newWorkflows';
import { startUserSession, type UserSession } from '../support/userSession';

const INPUTS = ['topic', 'year'];
const LIMIT = ['limitWaitTime', 'resumeAmount', 'resumeUnit'];
/** Of a Kickoff that does not wait. */
const ALWAYS = ['Add n8n Reference', 'Max Parallel Requests', 'Meta'];
/** Of an operation that waits. */
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

	test('are those of the operation that is chosen', async () => {
		const seen: Record<string, string[]> = { Kickoff: await panel.fieldNames() };
		for (const operation of ['Get Inputs', 'Get Status', 'Resume', 'Stop']) {
			await panel.choose('operation', operation);
			seen[operation] = await panel.fieldNames();
		}
		await panel.choose('operation', 'Kickoff');
		await panel.field('topic').waitFor();
		seen['Kickoff again'] = await panel.fieldNames();
		const kickoff = ['operation', 'specifyInputs', ...INPUTS, 'wait', ...LIMIT, 'callbacks'];
		expect(seen).toEqual({
			Kickoff: kickoff,
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
			Kickoff: sorted(...ALWAYS, ...WAITING, 'Failure Events', 'Notice the End'),
			'Get Status': ['Max Parallel Requests', 'Simplify'],
			Resume: sorted('Max Parallel Requests', ...WAITING, 'Notice the End'),
		});
	});

	test('offer an option only where it has an effect', async () => {
		await panel.addOption('Keep Execution Running');
		await panel.toggle('hold');
		const further = ['Poll Interval (Seconds)', 'Simplify', 'Stop on Cancel'];
		expect(await panel.optionNames()).toEqual(sorted(...ALWAYS, ...further));
		await panel.choose('wait', 'No');
		expect(await panel.optionNames()).toEqual(ALWAYS);
		await panel.choose('callbacks', 'Crew Trigger');
		expect(await panel.optionNames()).toEqual(ALWAYS);
		await panel.tick('triggerEvents', 'Event Stream');
		expect(await panel.optionNames()).toEqual([...ALWAYS, 'Stream Event Types']);
	});

	test('say how the end is noticed, and subscribe to failures only with callbacks', async () => {
		await panel.addOption('Notice the End');
		expect(await panel.optionNames()).toContain('Failure Events');
		await panel.choose('noticeBy', 'By Polling');
		expect(await panel.optionNames()).not.toContain('Failure Events');
	});

	test('head the crew’s inputs with their own word, and ask for a decision before Resume runs', async () => {
		await panel.root.getByText('Inputs', { exact: true }).waitFor();
		expect(await panel.root.getByText('Values to Send').count()).toBe(0);
		await panel.choose('operation', 'Resume');
		expect(await panel.field('decision').inputValue()).toBe('');
		await panel.choose('decision', 'Reject');
		expect(await panel.field('decision').inputValue()).toBe('Reject');
	});

	test('show how long to wait only where something is waited for, and a limit only where there is one', async () => {
		expect(await panel.fieldNames()).toEqual(expect.arrayContaining(LIMIT));
		await panel.toggle('limitWaitTime');
		expect(await panel.fieldNames()).toContain('limitWaitTime');
		expect(await panel.fieldNames()).not.toContain('resumeAmount');
		await panel.choose('wait', 'No');
		for (const name of LIMIT) expect(await panel.fieldNames()).not.toContain(name);
	});

	test('ask for addresses only where somebody is called, and for JSON instead of fields', async () => {
		await panel.choose('callbacks', 'Crew Trigger');
		expect(await panel.fieldNames()).toEqual(
			expect.arrayContaining(['triggerUrl', 'triggerEvents']),
		);
		expect(await panel.tags('triggerEvents')).toEqual(['Crew Completed', 'Human Input Requested']);
		await panel.choose('callbacks', 'Custom URLs');
		expect(await panel.fieldNames()).not.toContain('triggerUrl');
		await panel.root.getByText('Callback URLs').waitFor();
		await panel.choose('specifyInputs', 'Using JSON');
		const names = await panel.fieldNames();
		expect(names).toContain('inputsJson');
		for (const name of INPUTS) expect(names).not.toContain(name);
	});
});
