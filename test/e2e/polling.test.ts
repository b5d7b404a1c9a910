import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { timedCrew } from '../support/timedCrew';
import { activateCrewWorkflow, results } from './support/runs';

const AN_HOUR = 3_600_000;

describe('wait by polling in the real n8n', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({ teardown, crew: { crew: timedCrew } });
	});

	afterAll(() => teardown.run());

	test('goes on with the results of all crews, in the order of the items', async () => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, {
			wait: 'polling',
			options: { pollInterval: 1 },
		});
		await start([
			{ topic: 'slow', duration: 4_000 },
			{ topic: 'quick', duration: 10 },
			{ topic: 'broken', duration: 10, failure: 'It broke' },
		]);

		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);

		expect(results(execution!).map(({ asked, status }) => [asked, status])).toEqual([
			['slow', 'completed'],
			['quick', 'completed'],
			['broken', 'failed'],
		]);
	});

	test.each([
		['is stopped too with Stop on Cancel', true, 'stopped'],
		['goes on without it', false, 'running'],
	])('the crew of an execution that is cancelled %s', async (_name, stopOnCancel, status) => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, {
			wait: 'polling',
			options: { stopOnCancel },
		});
		const topic = `cancelled ${String(stopOnCancel)}`;
		await start([{ topic, duration: AN_HOUR }]);
		const crewExecution = () =>
			sandbox.crew.executions().find(({ inputs }) => inputs.topic === topic);
		await waitFor('the crew to be kicked off', crewExecution);
		const [{ id } = { id: '' }] = await sandbox.api.listExecutions({ workflowId: workflow.id });

		const before = Date.now();
		await sandbox.api.stopExecution(id);
		await sandbox.api.waitForExecution(id);

		expect(Date.now() - before).toBeLessThan(1_000);
		await waitFor(`the crew to be ${status}`, () => crewExecution()?.state === status);
	});

	test('getStatus waits for an execution that was kicked off before', async () => {
		const kickoff = await activateCrewWorkflow(sandbox, {});
		await kickoff.start([{ topic: 'later', duration: 3_000 }]);
		const [started] = await sandbox.api.waitForExecutionsOf(kickoff.workflow.id);
		const [{ kickoff_id: kickoffId } = { kickoff_id: '' }] = results(started!);
		const { workflow, start } = await activateCrewWorkflow(sandbox, {
			operation: 'getStatus',
			kickoffId: kickoffId as string,
			wait: 'polling',
			options: { pollInterval: 1 },
		});
		await start([{ topic: 'status' }]);

		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);

		expect(results(execution!)).toEqual([
			expect.objectContaining({ status: 'completed', output: 'All about later' }),
		]);
	});
});
