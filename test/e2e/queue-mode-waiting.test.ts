import { startQueueMode, type QueueMode } from '../../sandbox/src/queue-mode';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { timedCrew } from '../support/timedCrew';
import { ALL_WITH_OUTPUT, parkLargeJoin } from './support/largeJoin';
import { activateCrewWorkflow, results, waitUntilParked } from './support/runs';

describe('waiting in queue mode', () => {
	const teardown = new Teardown();
	let queueMode: QueueMode;

	beforeAll(async () => {
		queueMode = await startQueueMode({
			teardown,
			crew: { crew: timedCrew, delivery: { tries: 1 } },
		});
	});

	afterAll(() => teardown.run());

	test('kickoff on the worker, callback at the webhook process, end on the worker', async () => {
		const { workflow, start } = await activateCrewWorkflow(queueMode, { wait: 'end' });
		await start([{ topic: 'bees', duration: 6_000 }]);
		const id = await waitUntilParked(queueMode, workflow);

		const execution = await queueMode.api.waitForExecution(id);

		expect(results(execution)).toEqual([
			expect.objectContaining({ status: 'completed', output: 'All about bees', asked: 'bees' }),
		]);
		const [{ url } = { url: '' }] = (await queueMode.crew.callbacks()).filter(
			({ kind }) => kind === 'crew',
		);
		expect(new URL(url).origin).toBe(queueMode.webhook.url);
		const { kickoffId } = (await queueMode.crew.executions())[0]!;
		const about = queueMode.crew.requests().filter(({ path }) => path.includes(kickoffId));
		// The kickoff, a check by the worker, the check after the callback, and at most one more by its background poller.
		expect(1 + about.length).toBeLessThanOrEqual(4);
		// n8n stores the execution's end before it logs it.
		await waitFor('the worker to have finished both parts', () => {
			const isFinished = (line: string) => line.includes(`Worker finished execution ${id} `);
			return queueMode.workers[0]!.lines.filter(isFinished).length === 2;
		});
	});

	test('a join over many crews ends once', async () => {
		const { workflow, start } = await activateCrewWorkflow(queueMode, { wait: 'end' });
		const topics = Array.from({ length: 20 }, (_, index) => `joined ${index}`);
		await start(
			topics.map((topic, index) => ({
				topic,
				duration: index % 4 === 0 ? 50 : 5_000 + index * 50,
			})),
		);
		const id = await waitUntilParked(queueMode, workflow);

		const execution = await queueMode.api.waitForExecution(id);

		expect(results(execution).map(({ asked, status }) => [asked, status])).toEqual(
			topics.map((topic) => [topic, 'completed']),
		);
		expect(await queueMode.api.listExecutions({ workflowId: workflow.id })).toHaveLength(1);
		const started = (await queueMode.crew.executions()).map(({ inputs }) => String(inputs.topic));
		expect(started.filter((topic) => topic.startsWith('joined'))).toHaveLength(topics.length);
	});

	test('no result of 40 crews that end while their executions are being parked is lost', async () => {
		const { workflow, start } = await activateCrewWorkflow(queueMode, { wait: 'end' });
		const runs = Array.from({ length: 40 }, (_, index) => index);
		for (const index of runs) await start([{ topic: `run ${index}`, duration: index * 50 }]);

		const executions = await queueMode.api.waitForExecutionsOf(workflow.id, runs.length, {
			timeout: 180_000,
		});

		const outcomes = executions.flatMap(results);
		expect(outcomes.filter(({ status }) => status !== 'completed')).toEqual([]);
		expect(outcomes.map(({ output }) => output).sort()).toEqual(
			runs.map((index) => `All about run ${index}`).sort(),
		);
	});

	test('a join whose results only the webhook process can gather: each item has its output', async () => {
		const end = await parkLargeJoin(queueMode, teardown);
		// What it knew about the wait is gone with it.
		await queueMode.workers[0]!.kill();
		await queueMode.workers[0]!.start();

		expect(await end()).toEqual(ALL_WITH_OUTPUT);
	});
});
