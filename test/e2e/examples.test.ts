import { importExamples, listExamples } from '../../sandbox/src/examples';
import { runFirstExample, SECOND_EXAMPLE } from '../../sandbox/src/first-example';
import type { StoredWorkflow } from '../../sandbox/src/n8n-api';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the examples', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;
	let workflows: Map<string, StoredWorkflow>;

	beforeAll(async () => {
		sandbox = await startSandbox({ teardown });
		workflows = await importExamples(sandbox.api, sandbox.credential, await listExamples());
	});

	afterAll(() => teardown.run());

	test('a crew that one workflow kicks off starts the other one when it is done', async () => {
		const { kickoff, callback, started, result } = await runFirstExample(sandbox, workflows);

		expect(kickoff.mode).toBe('manual');
		expect(started['kickoff_id']).toMatch(UUID);
		expect(started['status']).toBe('started');
		expect(callback.mode).toBe('webhook');
		expect(callback.workflowId).toBe(workflows.get(SECOND_EXAMPLE)!.id);
		expect(result['kickoff_id']).toBe(started['kickoff_id']);
		expect(result['result']).toContain('electric bicycles');
	});

	test('importing them again brings them up to date and doubles none', async () => {
		const again = await importExamples(sandbox.api, sandbox.credential, await listExamples());

		const ids = [...again.values()].map(({ id }) => id);
		expect(ids).toEqual([...workflows.values()].map(({ id }) => id));
		expect(await sandbox.api.listWorkflows()).toHaveLength(ids.length);
		await runFirstExample(sandbox, again);
	});
});
