import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { startCrewServer, type CallbackRecord } from '../../crew-server/src';
import { AsLeft } from '../../sandbox/src/as-left';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples, listExamples } from '../../sandbox/src/examples';
import { runFirstExample, SECOND_EXAMPLE } from '../../sandbox/src/first-example';
import type { Execution, StoredWorkflow } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { startToolCallingModel } from '../support/toolCallingModel';
import { timedCrew } from '../support/timedCrew';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const isFailure = ({ body }: CallbackRecord) =>
	JSON.stringify(body).includes('crew_kickoff_failed');

const tellFate = ({ body, fate, attempts }: CallbackRecord) =>
	`${fate} ${attempts.at(-1)?.problem ?? ''} ${JSON.stringify(body).slice(0, 100)}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the examples', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let workflows: Map<string, StoredWorkflow>;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
		workflows = await importExamples(sandbox.api, sandbox.credential, await listExamples());
	});

	afterAll(() => teardown.run());

	test('n8n lists them in order', async () => {
		const listed = (await sandbox.api.session.request(
			'GET',
			'/rest/workflows?sortBy=updatedAt:desc',
		)) as StoredWorkflow[];
		// n8n does not show those that other files have archived.
		const shown = listed.filter(({ isArchived }) => !isArchived);
		const numbers = shown.flatMap(({ name }) => /^Crew example (\d+)/.exec(name)?.[1] ?? []);
		expect(numbers.map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
	});

	test('a crew that one workflow kicks off starts the other one when it has completed', async () => {
		const { kickoff, callback, started, result } = await runFirstExample(sandbox, workflows);

		expect(kickoff.mode).toBe('manual');
		expect(started['kickoff_id']).toMatch(UUID);
		expect(started['status']).toBe('started');
		expect(callback.mode).toBe('webhook');
		expect(callback.workflowId).toBe(workflows.get(SECOND_EXAMPLE)!.id);
		expect(result['kickoff_id']).toBe(started['kickoff_id']);
		expect(result['output']).toContain('electric bicycles');
	});

	test('importing them again updates them without duplicates', async () => {
		const again = await importExamples(sandbox.api, sandbox.credential, await listExamples());

		const ids = [...again.values()].map(({ id }) => id);
		expect(ids).toEqual([...workflows.values()].map(({ id }) => id));
		expect(await sandbox.api.listWorkflows()).toHaveLength(ids.length);
		await runFirstExample(sandbox, again);
	});

	test.each(['wait-by-callback.json', 'wait-by-polling.json'])(
		'%s goes on with the result of the crew',
		async (file) => {
			const execution = await run(file);

			const [item] = outputOf(execution, 'Use the Result');
			expect(item?.json.report).toContain('easier than most people expect');
		},
	);

	test('the caller of an API gets the crew’s result, across the wait', async () => {
		const answer = await post('api-in-front-of-a-crew.json', { topic: 'tides' });

		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual({
			status: 'completed',
			output: expect.stringContaining('Interest in tides is growing') as string,
		});
	});

	test('a chat gets the crew’s answer, across the wait', async () => {
		const message = { action: 'sendMessage', sessionId: 'test', chatInput: 'comets' };

		const answer = await post('chat-with-a-crew.json', message);

		expect(await answer.json()).toEqual({
			output: expect.stringContaining('Interest in comets is growing') as string,
		});
	});

	test('many crews come together in one result', async () => {
		const execution = await run('join-many.json');

		const [item] = outputOf(execution, 'All Together');
		const reports = item?.json.reports as Array<{ status: string; output: string }>;
		expect(reports.map(({ status }) => status)).toEqual(Array(5).fill('completed'));
		expect(reports.map(({ output }) => /^Interest in (\w+)/.exec(output)?.[1])).toEqual([
			'bees',
			'ants',
			'wasps',
			'moths',
			'beetles',
		]);
	});

	test('watching a crew shows something, even if nothing goes wrong', async () => {
		await run('watch-live.json');
		const workflow = workflows.get('watch-live.json')!;
		const [message] = await waitFor('the message', async () => {
			const written = await outputsOf(workflow, 'Write a Message');
			return written.length > 0 && written;
		});
		expect(message?.message).toContain('crew_kickoff_completed');
	});

	test('failures of a crew arrive live, each once', async () => {
		const failing = await startCrewServer({ crew: timedCrew });
		teardown.add(() => failing.close());
		const { api } = sandbox;
		const credential = await storeCrewCredential(api, failing, 'A crew that fails');
		const file = 'watch-live.json';
		const [workflow] = (await importExamples(api, credential, [file])).values();
		const { nodes } = workflow!;
		const kickoff = nodes.find(({ name }) => name === 'Kick Off the Crew')!;
		kickoff.parameters = {
			...kickoff.parameters,
			specifyInputs: 'json',
			inputsJson: '{"topic": "tides", "duration": 100, "failure": "The tide is out"}',
		};
		const changed = await api.updateWorkflow(workflow!.id, workflow!);
		await api.activateWorkflow(changed);

		const started = await api.waitForExecution(await api.runWorkflow(changed));
		expect(started.data.resultData.error).toBeUndefined();
		let callbacks: readonly CallbackRecord[] = [];
		await waitFor(
			'all callbacks to be delivered',
			async () => {
				callbacks = await failing.callbacks();
				return callbacks.some(isFailure) && callbacks.every(({ fate }) => fate === 'delivered');
			},
			{ describe: () => callbacks.map(tellFate).join('\n') },
		);
		// n8n accepts a callback before it starts the execution.
		const isOfFailure = ({ message }: IDataObject) =>
			(message as string).includes('crew_kickoff_failed');
		const messages = await waitFor('the last of what they have started to write', async () => {
			const written = await outputsOf(changed, 'Write a Message');
			return written.some(isOfFailure) && written;
		});
		const before = await waitFor('what they have started to end', async () => {
			const all = await api.listExecutions({ workflowId: changed.id });
			return all.every(({ stoppedAt }) => stoppedAt !== null) && all.length;
		});
		const { id, url, body, kickoffId } = callbacks.find(isFailure)!;
		const given = (await failing.executions()).find((one) => one.kickoffId === kickoffId);
		const proof = given?.callbacks.webhooks?.authentication;
		const again = await fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'webhook-id': id,
				...(proof?.strategy === 'bearer' ? { authorization: `Bearer ${proof.token}` } : {}),
			},
			body: JSON.stringify(body),
		});
		expect(again.status).toBe(200);
		await api.waitForExecutionsOf(changed.id, before + 1);

		expect(await outputsOf(changed, 'Write a Message')).toHaveLength(messages.length);
	});

	test('an AI agent runs the crew as its tool', async () => {
		const model = await startToolCallingModel({ topic: 'wind turbines' });
		teardown.add(() => model.close());
		const { api } = sandbox;
		const credential = await api.createCredential('Scripted model', 'openAiApi', {
			apiKey: 'none',
			url: model.url,
		});
		const workflow = workflows.get('crew-as-a-tool.json')!;
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Chat Model' ? { ...node, credentials: { openAiApi: credential } } : node,
		);
		const changed = await api.updateWorkflow(workflow.id, { ...workflow, nodes });

		const id = await api.runWorkflow(changed, {
			name: 'When Asked',
			json: { action: 'sendMessage', sessionId: 'test', chatInput: 'What about wind turbines?' },
		});
		const execution = await api.waitForExecution(id);

		expect(execution.data.resultData.error).toBeUndefined();
		const [item] = outputOf(execution, 'Agent');
		expect(item?.json.output).toContain('Interest in wind turbines is growing');
		expect(model.asked[0]?.tools?.[0]?.function).toMatchObject({
			description: expect.stringContaining('crew of researchers') as string,
		});
	});

	test('the next start leaves alone what the user has changed, and changes nothing else', async () => {
		const { api, crew, credential } = sandbox;
		const folder = mkdtempSync(join(tmpdir(), 'as-left-'));
		teardown.add(() => {
			rmSync(folder, { recursive: true });
		});
		// Each start reads what the one before has written.
		const asLeft = () => new AsLeft(join(folder, 'as-left.json'));
		const files = ['join-many.json', 'watch-live.json'];
		const start = async () => await importExamples(api, credential, files, asLeft());
		for (const file of files) await api.archiveWorkflow(workflows.get(file)!.id);
		const [joined, watched] = [...(await start()).values()].reverse();
		const again = await start();
		expect([...again.values()].map(({ isUsers }) => isUsers)).toEqual([false, false]);
		expect(again.get(files[1]!)!.versionId).toBe((await api.getWorkflow(watched!.id)).versionId);

		const nodes = joined!.nodes.filter(({ type }) => !type.endsWith('stickyNote'));
		await api.updateWorkflow(joined!.id, { ...joined!, nodes });
		const third = await start();
		expect([...third.values()].map(({ name, isUsers }) => [name, isUsers])).toEqual([
			[watched!.name, false],
			[joined!.name, true],
		]);
		expect((await api.getWorkflow(joined!.id)).nodes).toHaveLength(nodes.length);

		const store = async () => await storeCrewCredential(api, crew, 'Mine later', asLeft());
		const first = await store();
		const followed = await store();
		// n8n offers the newest one first: a start must not put its own before the user's.
		expect(followed).toEqual(expect.objectContaining({ id: first.id, updatedAt: first.updatedAt }));
		await api.updateCredential(followed, { baseUrl: 'http://127.0.0.1:9', accessToken: 'mine' });
		const { updatedAt } = (await api.listCredentials()).find(({ id }) => id === first.id)!;
		expect((await store()).updatedAt).toBe(updatedAt);
	});

	/** Calls an example that starts by a webhook. */
	async function post(file: string, body: object): Promise<Response> {
		const urls = workflows.get(file)!.nodes.map((node) => sandbox.api.productionUrl(node));
		return await fetch(
			urls.find((url) => url !== undefined)!,
			{
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			},
		);
	}

	async function run(file: string): Promise<Execution> {
		const execution = await sandbox.api.waitForExecution(
			await sandbox.api.runWorkflow(workflows.get(file)!),
		);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(execution.status).toBe('success');
		return execution;
	}

	async function outputsOf(
		{ id: workflowId }: StoredWorkflow,
		node: string,
	): Promise<IDataObject[]> {
		const executions = await sandbox.api.listExecutions({ workflowId });
		const all = await Promise.all(executions.map(({ id }) => sandbox.api.getExecution(id)));
		return all.flatMap((execution) => outputOf(execution, node)).map(({ json }) => json);
	}
});
