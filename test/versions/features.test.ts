import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { credentialFor, storeCrewCredential } from '../../sandbox/src/crew-credential';
import type { StoredCredential } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import type { Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { chain, crewTriggerNode } from '../e2e/support/chain';
import {
	activateCrewWorkflow,
	results,
	waitUntilAsked,
	waitUntilParked,
} from '../e2e/support/runs';
import { timedCrew } from '../support/timedCrew';
import { startTestedSandbox, versionTitle } from './support/testedSandbox';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** n8n looks once a minute for executions whose time is up. */
const LONGER_THAN_A_MINUTE = 100_000;

describe(versionTitle, () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;
	let askingCrew: CrewServer;
	let askingCredential: StoredCredential;

	beforeAll(async () => {
		sandbox = await startTestedSandbox({ teardown, crew: { crew: timedCrew } });
		askingCrew = await startCrewServer({ crew: 'reviewed-article' });
		teardown.add(() => askingCrew.close());
		askingCredential = await storeCrewCredential(sandbox.api, askingCrew, 'Asking crew');
	});

	afterAll(() => teardown.run());

	describe('Loads', () => {
		test('both nodes, the tool and the credential, each with its icon', async () => {
			const nodes = await described('nodes');
			const ours = nodes.filter(({ name }) => name.startsWith('n8n-nodes-crew.'));
			const names = ours.map(({ name }) => name);
			expect(names.sort()).toEqual([
				'n8n-nodes-crew.crew',
				'n8n-nodes-crew.crewTool',
				'n8n-nodes-crew.crewTrigger',
			]);
			const [credential] = (await described('credentials')).filter(
				({ name }) => name === 'crewApi',
			);
			for (const type of [...ours, credential]) {
				const icons = type?.iconUrl as { light: string; dark: string };
				for (const path of [icons.light, icons.dark]) {
					const answer = await fetch(`${sandbox.url}/${path}`);
					expect(answer.headers.get('content-type')).toContain('image/svg');
				}
			}
		});
	});

	describe('Credential test', () => {
		test('a good token passes, a wrong one does not', async () => {
			const content = credentialFor(sandbox.crew);
			const test = (data: Record<string, unknown>) =>
				sandbox.api.testCredential('crewApi', data, sandbox.credential.id);
			expect(await test(content)).toMatchObject({ status: 'OK' });
			expect(await test({ ...content, accessToken: 'wrong' })).toEqual({
				status: 'Error',
				message: expect.stringContaining('did not accept the access token') as string,
			});
		});
	});

	describe('Input fields', () => {
		test('the panel gets the inputs from the crew', async () => {
			const node = {
				type: 'n8n-nodes-crew.crew',
				typeVersion: 1,
				parameters: { operation: 'kickoff' },
				credentials: { crewApi: sandbox.credential },
			};
			const { fields } = await sandbox.api.resourceMapperFields(node, 'getInputFields', 'inputs');
			expect(fields.map(({ id, required }) => [id, required])).toEqual(
				timedCrew.inputs.map(({ name, required }) => [name, required]),
			);
		});
	});

	describe('Kickoff', () => {
		test('starts a crew for each item', async () => {
			const items = [
				{ topic: 'bees', duration: 1 },
				{ topic: 'owls', duration: 1 },
			];
			const started = await run({}, items);
			expect(started).toEqual(
				items.map(({ topic }) => ({
					kickoff_id: expect.stringMatching(UUID) as string,
					status: 'started',
					asked: topic,
				})),
			);
		});

		test('says what is wrong if the crew refuses', async () => {
			const { workflow, start } = await activateCrewWorkflow(sandbox, {});
			await start([{ duration: 1 }]);
			const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);
			expect(execution?.status).toBe('error');
			expect(execution?.data.resultData.error?.message).toContain('topic');
		});
	});

	describe('Wait by callback', () => {
		test('parks the execution until all crews have called back', async () => {
			const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' });
			await start([
				{ topic: 'slow', duration: 8_000 },
				{ topic: 'broken', duration: 6_000, failure: 'It broke' },
				{ topic: 'quick', duration: 10 },
			]);
			const id = await waitUntilParked(sandbox, workflow);
			const execution = await sandbox.api.waitForExecution(id);
			expect(execution.data.resultData.error?.message).toBeUndefined();
			expect(results(execution)).toEqual([
				expect.objectContaining({ asked: 'slow', status: 'completed', output: 'All about slow' }),
				expect.objectContaining({ asked: 'broken', status: 'failed', error: 'It broke' }),
				expect.objectContaining({ asked: 'quick', status: 'completed' }),
			]);
		});

		test('notices a crew that ended while n8n stored the execution', async () => {
			const [item] = await run({ wait: 'end' }, [{ topic: 'ants', duration: 1 }]);
			expect(item).toMatchObject({ status: 'completed', output: 'All about ants' });
		});

		test('continues when the time is up', async () => {
			const [item] = await run({ wait: 'end', resumeAmount: 5, resumeUnit: 'seconds' }, [
				{ topic: 'stars', duration: 3_600_000 },
			]);
			expect(item).toMatchObject({
				status: 'timed_out',
				kickoff_id: expect.stringMatching(UUID) as string,
			});
		});

		test('a stranger cannot end the wait, nor can a callback after the execution was stopped', async () => {
			const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' });
			await start([{ topic: 'secret', duration: 3_600_000 }]);
			const id = await waitUntilParked(sandbox, workflow);
			const sent = sandbox.crew.requests().findLast(({ path }) => path === '/kickoff')?.body as {
				crewWebhookUrl: string;
			};
			const strange = new URL(sent.crewWebhookUrl);
			strange.searchParams.set('wait', randomUUID());
			expect(await (await post(strange.href, { result: 'Not yours' })).json()).toMatchObject({
				ended: false,
			});
			expect((await sandbox.api.getExecution(id)).status).toBe('waiting');

			await sandbox.api.stopExecution(id);
			expect((await post(sent.crewWebhookUrl, { result: 'Too late' })).ok).toBe(false);
			expect((await sandbox.api.getExecution(id)).status).toBe('canceled');
		});
	});

	describe('Wait by polling', () => {
		test('polls until the crews have ended', async () => {
			const items = await run({ wait: 'end', options: { noticeBy: 'polling', pollInterval: 1 } }, [
				{ topic: 'moss', duration: 2_500 },
				{ topic: 'fern', duration: 10, failure: 'It broke' },
			]);
			expect(items.map(({ asked, status }) => [asked, status])).toEqual([
				['moss', 'completed'],
				['fern', 'failed'],
			]);
		});

		test('stops the crew of an execution that is cancelled', async () => {
			const { workflow, start } = await activateCrewWorkflow(sandbox, {
				wait: 'end',
				options: { hold: true, stopOnCancel: true },
			});
			await start([{ topic: 'cancelled', duration: 3_600_000 }]);
			const crewExecution = async () =>
				(await sandbox.crew.executions()).find(({ inputs }) => inputs.topic === 'cancelled');
			await waitUntilAsked(sandbox.crew, 'cancelled');
			const [{ id } = { id: '' }] = await sandbox.api.listExecutions({ workflowId: workflow.id });
			await sandbox.api.stopExecution(id);
			await waitFor(
				'the crew to be stopped',
				async () => (await crewExecution())?.state === 'stopped',
			);
		});
	});

	describe('Trigger', () => {
		test('starts a workflow when a crew has the right token, and only then', async () => {
			const trigger = crewTriggerNode(sandbox.credential);
			const workflow = await sandbox.api.createWorkflow(chain('Trigger', [trigger]));
			await sandbox.api.activateWorkflow(workflow);
			const triggerUrl = sandbox.api.productionUrl(trigger)!;
			const refused = await post(`${triggerUrl}?callback=crew`, { kickoff_id: 'k', result: 'x' });
			expect(refused.status).toBe(401);

			await run({ callbacks: 'trigger', triggerUrl, triggerEvents: ['crew'] }, [
				{ topic: 'bells', duration: 1 },
			]);
			const executions = await sandbox.api.waitForExecutionsOf(workflow.id);
			expect(executions.map((one) => outputOf(one, 'Crew Trigger')[0]?.json)).toEqual([
				expect.objectContaining({ event: 'crew', output: 'All about bells' }),
			]);
		});
	});

	describe('Resume', () => {
		test.each(['auto', 'polling'])(
			'a person rejects, then approves, with notice by %s',
			async (noticeBy) => {
				const settings = { wait: 'end', options: { noticeBy, pollInterval: 1 } };
				const asking = { api: sandbox.api, credential: askingCredential };
				const [asked] = await run(settings, [{ topic: 'bees' }], asking);
				expect(asked).toMatchObject({ status: 'pending_human_input', task_id: 'write_draft' });
				const answer = { operation: 'resume', kickoffId: '={{ $json.id }}', ...settings };
				const item = { id: asked?.kickoff_id, task_id: asked?.task_id };

				const rejected = { ...answer, decision: 'reject', humanFeedback: 'With more honey' };
				const [again] = await run(rejected, [item], asking);
				expect(again).toMatchObject({ status: 'pending_human_input' });
				expect(again?.task_output).toContain('With more honey');
				const [done] = await run(
					{ ...answer, decision: 'approve', humanFeedback: 'Well done' },
					[item],
					asking,
				);
				expect(done).toMatchObject({ status: 'completed' });
				expect(done?.output).toContain('Well done');
			},
		);
	});

	/** The node or credential types as n8n describes them to its editor. */
	async function described(what: 'nodes' | 'credentials') {
		const answer = await sandbox.api.session.request('GET', `/types/${what}.json`);
		return answer as Array<{ name: string; iconUrl?: unknown }>;
	}

	/** Runs a workflow with one Crew node to its end. */
	async function run(
		parameters: INodeParameters,
		items: IDataObject[],
		running: Pick<Sandbox, 'api' | 'credential'> = sandbox,
	): Promise<IDataObject[]> {
		const { workflow, start } = await activateCrewWorkflow(running, parameters);
		await start(items);
		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id, 1, {
			timeout: LONGER_THAN_A_MINUTE,
		});
		expect(execution?.data.resultData.error?.message).toBeUndefined();
		return results(execution!);
	}
});

async function post(url: string, body: object): Promise<Response> {
	return await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
}
