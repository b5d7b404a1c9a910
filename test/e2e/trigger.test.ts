import { readFile } from 'node:fs/promises';
import type { StoredWorkflow } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { chain, crewTriggerNode } from './support/chain';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const MEGABYTE = 1024 * 1024;

describe('the Crew Trigger in the real n8n', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
	});

	afterAll(() => teardown.run());

	test('its test URL takes one callback for the editor', async () => {
		const workflow = await sandbox.api.createWorkflow(chain('Trigger', [crewTriggerNode()]));
		await sandbox.api.listenForTestEvent(workflow);

		const answer = await send(testUrl(workflow), { kickoff_id: 'k1', result: 'Tested' });

		expect(answer).toEqual({ status: 200, body: { message: 'Received' } });
		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);
		expect(execution?.mode).toBe('manual');
		expect(outputOf(execution!, 'Crew Trigger')[0]?.json).toMatchObject({
			event: 'crew',
			kickoff_id: 'k1',
			output: 'Tested',
		});
	});

	test('accepts a whole callback of 15 MB', async () => {
		const { workflow, url } = await activate();
		const result = 'x'.repeat(15 * MEGABYTE);

		const answer = await send(url, { kickoff_id: 'k2', result });

		expect(answer.status).toBe(200);
		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);
		expect(outputOf(execution!, 'Crew Trigger')[0]?.json.output).toHaveLength(result.length);
	});

	test.each([
		['application/json ; charset=utf-8'],
		['application/cloudevents+json'],
		['text/json'],
		['application/octet-stream'],
		['application/x-www-form-urlencoded'],
		['text/html'],
	])(
		'reads JSON that is labeled %s, and does not mistake its fields for n8n’s own',
		async (type) => {
			const { workflow, url } = await activate();
			const body = {
				kickoff_id: 'k4',
				result: 'Read',
				json: { a: 1 },
				binary: { f: { data: 'eA==' } },
			};

			expect((await post(url, JSON.stringify(body), type)).status).toBe(200);

			const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);
			const [item] = outputOf(execution!, 'Crew Trigger');
			expect(item?.json).toMatchObject({ ...body, event: 'crew', output: 'Read' });
			expect(item?.binary).toBeUndefined();
		},
	);

	test('accepts nothing if it has to verify without a credential, and says so in the log', async () => {
		const node = crewTriggerNode();
		node.parameters = { ...node.parameters, options: { confirmWithCrew: true } };
		const workflow = await sandbox.api.createWorkflow(chain('Trigger', [node]));
		await sandbox.api.activateWorkflow(workflow);
		const url = sandbox.api.productionUrl(workflow.nodes[0]!)!;

		expect((await send(url, { kickoff_id: 'k5', result: 'Not confirmed' })).status).toBe(503);

		await waitFor('n8n’s log to say why', async () => {
			const log = await readFile(sandbox.n8n.logFile, 'utf8');
			return log.includes('no crew to verify executions with');
		});
		expect(await sandbox.api.listExecutions({ workflowId: workflow.id })).toEqual([]);
	});

	test.each([
		['a wrong shape is answered and ignored', '{"hello": "world"}', 200],
		['a bare number is refused', '42', 400],
		['text that is no JSON is refused', 'hello', 400, 'text/plain'],
		['more than n8n takes is refused', 'x'.repeat(17 * MEGABYTE), 400, 'application/octet-stream'],
		['text that only says it is JSON is refused by n8n itself', 'hello', 422],
		['JSON that says it is text is read all the same', '{"hello": "world"}', 200, 'text/plain'],
	])('%s', async (_name, body, status, type = 'application/json') => {
		const { workflow, url } = await activate();

		expect((await post(url, body, type)).status).toBe(status);

		// The right one arrives after anything that the previous one has started.
		await send(url, { kickoff_id: 'k3', result: 'Right' });
		const started = async () => {
			const executions = await sandbox.api.waitForExecutionsOf(workflow.id);
			const items = executions.flatMap((execution) => outputOf(execution, 'Crew Trigger'));
			return items.map(({ json }) => json.kickoff_id);
		};
		const ids = await waitFor('the right one to have ended', async () => {
			const all = await started();
			return all.includes('k3') && all;
		});
		expect(ids).toEqual(['k3']);
	});

	async function activate(): Promise<{ workflow: StoredWorkflow; url: string }> {
		const workflow = await sandbox.api.createWorkflow(chain('Trigger', [crewTriggerNode()]));
		await sandbox.api.activateWorkflow(workflow);
		return { workflow, url: sandbox.api.productionUrl(workflow.nodes[0]!)! };
	}

	function testUrl({ nodes }: StoredWorkflow): string {
		return sandbox.api.productionUrl(nodes[0]!)!.replace('/webhook/', '/webhook-test/');
	}
});

async function send(url: string, body: object) {
	const answer = await post(url, JSON.stringify(body));
	return { status: answer.status, body: await answer.json() };
}

async function post(url: string, body: string, type = 'application/json'): Promise<Response> {
	return await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
}
