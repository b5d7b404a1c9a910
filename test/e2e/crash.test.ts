import { importExamples, listExamples } from '../../sandbox/src/examples';
import { runFirstExample } from '../../sandbox/src/first-example';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { prepareRealCrews } from './support/realCrews';
import { activateCrewWorkflow, results, waitUntilParked } from './support/runs';

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

	test('the result of a real crew that worked meanwhile arrives', async () => {
		const { api, n8n } = sandbox;
		const { model, deploy } = await prepareRealCrews(teardown);
		let answer: (text: string) => void = () => undefined;
		const answered = new Promise<string>((resolve) => (answer = resolve));
		model.script = () => answered;
		const crew = await deploy('tea_guide');
		const credential = await storeCrewCredential(api, crew, 'Real crew');
		const running = { api, credential };
		const { workflow, start } = await activateCrewWorkflow(running, { wait: 'end' });
		await start([{ topic: 'bees', audience: 'all' }]);
		const id = await waitUntilParked(running, workflow);
		await waitFor('the model to be asked', () => model.asked.length === 1);

		await n8n.kill();
		await n8n.start();
		answer('All about bees');

		expect(results(await api.waitForExecution(id))).toEqual([
			expect.objectContaining({ status: 'completed', output: 'All about bees', asked: 'bees' }),
		]);
		expect(model.asked).toHaveLength(2);
	});
});
