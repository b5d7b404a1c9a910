import { importExamples, listExamples } from '../../sandbox/src/examples';
import { runFirstExample } from '../../sandbox/src/first-example';
import type { StoredWorkflow } from '../../sandbox/src/n8n-types';
import type { N8nProcess } from '../../sandbox/src/n8n-process';
import { startQueueMode, type QueueMode } from '../../sandbox/src/queue-mode';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';

describe('in queue mode', () => {
	const teardown = new Teardown();
	let queueMode: QueueMode;
	let workflows: Map<string, StoredWorkflow>;
	let worker: N8nProcess;

	beforeAll(async () => {
		queueMode = await startQueueMode({ teardown });
		const { api, credential, workers } = queueMode;
		worker = workers[0]!;
		workflows = await importExamples(api, credential, await listExamples());
	});

	afterAll(() => teardown.run());

	test('a worker does both the kickoff and what the callback starts', async () => {
		const { kickoff, callback, result } = await runFirstExample(
			{ api: queueMode.api, n8n: queueMode.main },
			workflows,
		);

		expect(result['output']).toContain('electric bicycles');
		for (const { id } of [kickoff, callback]) {
			// n8n stores the execution's end before it logs it.
			await waitFor(`the worker to have finished execution ${id}`, () =>
				worker.lines.some((line) => line.includes(`Worker finished execution ${id} `)),
			);
		}
	});

	test('a killed worker continues after its restart', async () => {
		await worker.kill();
		const running = runFirstExample({ api: queueMode.api, n8n: queueMode.main }, workflows);
		await worker.start();

		await expect(running).resolves.toMatchObject({ kickoff: { status: 'success' } });
	});
});
