import { importExamples, listExamples } from '../../sandbox/src/examples';
import { runFirstExample } from '../../sandbox/src/first-example';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';

describe('after kill -9 of n8n', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({ teardown });
	});

	afterAll(() => teardown.run());

	test('a restart with the same home has the workflows, their executions and their webhooks', async () => {
		const { api, credential, n8n } = sandbox;
		const workflows = await importExamples(api, credential, await listExamples());
		const { callback } = await runFirstExample(sandbox, workflows);

		await n8n.kill();
		expect(n8n.isRunning()).toBe(false);
		await n8n.start();

		expect((await api.getExecution(callback.id)).status).toBe('success');
		const again = await runFirstExample(sandbox, workflows);
		expect(again.callback.id).not.toBe(callback.id);
	});
});
