import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { timedCrew } from '../support/timedCrew';
import { activateCrewWorkflow, results, waitUntilAsked } from './support/runs';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const AN_HOUR = 3_600_000;

describe('waiting without callbacks in the real n8n', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown, crew: { crew: timedCrew } });
	});

	afterAll(() => teardown.run());

	test('continues with the results of all crews, in the order of the items', async () => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, {
			wait: 'end',
			options: { noticeBy: 'polling', pollInterval: 1 },
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

	test('the crew of a cancelled execution is stopped with Stop on Cancel, and only then', async () => {
		const cancel = async (topic: string, stopOnCancel: boolean) => {
			const { workflow, start } = await activateCrewWorkflow(sandbox, {
				wait: 'end',
				options: { hold: true, stopOnCancel },
			});
			await start([{ topic, duration: AN_HOUR }]);
			const ofCrew = async () =>
				(await sandbox.crew.executions()).find(({ inputs }) => inputs.topic === topic);
			await waitUntilAsked(sandbox.crew, topic);
			const [{ id } = { id: '' }] = await sandbox.api.listExecutions({ workflowId: workflow.id });
			await sandbox.api.stopExecution(id);
			await sandbox.api.waitForExecution(id);
			return ofCrew;
		};

		const goesOn = await cancel('goes on', false);
		const stopped = await cancel('is stopped', true);

		await waitFor('the crew to be stopped', async () => (await stopped())?.state === 'stopped');
		expect((await goesOn())?.state).toBe('running');
		const stops = sandbox.crew.requests().filter(({ path }) => path.startsWith('/stop/'));
		expect(stops.map(({ path }) => path)).toEqual([`/stop/${(await stopped())?.kickoffId}`]);
	});

	test('getStatus waits for an execution that was kicked off before', async () => {
		const kickoff = await activateCrewWorkflow(sandbox, {});
		await kickoff.start([{ topic: 'later', duration: 3_000 }]);
		const [started] = await sandbox.api.waitForExecutionsOf(kickoff.workflow.id);
		const [{ kickoff_id: kickoffId } = { kickoff_id: '' }] = results(started!);
		const { workflow, start } = await activateCrewWorkflow(sandbox, {
			operation: 'getStatus',
			kickoffId: kickoffId as string,
			wait: 'end',
			options: { pollInterval: 1 },
		});
		await start([{ topic: 'status' }]);

		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);

		expect(results(execution!)).toEqual([
			expect.objectContaining({ status: 'completed', output: 'All about later' }),
		]);
	});
});
