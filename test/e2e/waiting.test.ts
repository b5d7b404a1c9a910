import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { startCrewServer, type CrewServer } from '../../crew-server/src';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { usualDialect } from '../../sandbox/src/crew-dialect';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { timedCrew } from '../support/timedCrew';
import { node } from './support/chain';
import { chatEngine } from './support/chatEngine';
import { heldCrew, startHeldModel, type HeldModel } from './support/heldCrew';
import { activateCrewWorkflow, results, waitUntilParked } from './support/runs';

/** A callback that comes before n8n has stored the execution is compensated after 2 minutes. */
const LONGER_THAN_TWO_MINUTES = 180_000;

describe('waiting in the real n8n', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;
	/** A second crew, which ends when the test says so. */
	let held: CrewServer;
	let model: HeldModel;
	let withHeld: Pick<Sandbox, 'api' | 'credential'>;

	beforeAll(async () => {
		// Crews that call back once and never repeat.
		const delivery = { tries: 1 };
		sandbox = await startSandbox({ teardown, crew: { crew: timedCrew, delivery } });
		model = await startHeldModel();
		teardown.add(() => model.close());
		held = await startCrewServer({
			simulate: true,
			dialect: usualDialect(),
			engine: chatEngine(heldCrew, model.url),
			delivery,
		});
		teardown.add(() => held.close());
		const { api } = sandbox;
		withHeld = { api, credential: await storeCrewCredential(api, held, 'Held') };
	});

	afterAll(() => teardown.run());

	test('parks the execution and continues with the result', async () => {
		const { workflow, start } = await activateCrewWorkflow(withHeld, { wait: 'end' });
		await start([{ topic: 'bees' }]);
		const id = await waitUntilParked(sandbox, workflow);
		model.release('bees');

		const execution = await sandbox.api.waitForExecution(id);

		expect(execution.status).toBe('success');
		expect(results(execution)).toEqual([
			expect.objectContaining({ status: 'completed', output: 'All about bees', asked: 'bees' }),
		]);
	});

	test('continues when the crew has failed', async () => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' });
		await start([{ topic: 'bees', duration: 5_000, failure: 'No bees today' }]);
		const id = await waitUntilParked(sandbox, workflow);

		const execution = await sandbox.api.waitForExecution(id);

		expect(results(execution)).toEqual([
			expect.objectContaining({
				status: 'failed',
				error: expect.stringContaining('No bees today') as string,
			}),
		]);
	});

	test('joins many crews: continues once, in the order of the items', async () => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' });
		const durations = [8_000, 100, 5_000, 6_000, 7_000];
		await start(durations.map((duration) => ({ topic: `after ${duration}`, duration })));
		const id = await waitUntilParked(sandbox, workflow);

		const execution = await sandbox.api.waitForExecution(id);

		expect(results(execution).map(({ status, output, asked }) => [status, output, asked])).toEqual(
			durations.map((duration) => [
				'completed',
				`All about after ${duration}`,
				`after ${duration}`,
			]),
		);
		await expect(sandbox.api.listExecutions({ workflowId: workflow.id })).resolves.toHaveLength(1);
	});

	test('a second callback is harmless', async () => {
		const { workflow, start } = await activateCrewWorkflow(withHeld, { wait: 'end' });
		await start([{ topic: 'wasps' }]);
		const id = await waitUntilParked(sandbox, workflow);
		model.release('wasps');
		const execution = await sandbox.api.waitForExecution(id);

		const answer = await callAgain(results(execution)[0]!.kickoff_id as string);

		expect(answer.status).toBe(409);
		expect(await sandbox.api.listExecutions({ workflowId: workflow.id })).toEqual([
			expect.objectContaining({ id, status: 'success' }),
		]);
	});

	test.each<[string, INodeParameters]>([
		['a call', { resume: 'webhook', httpMethod: 'POST' }],
		['a form', { resume: 'form', formTitle: 'Is it good?' }],
	])('a second callback does not wake a later node that waits for %s', async (what, parameters) => {
		const further = node('Further', 'n8n-nodes-base.wait', 1.1, parameters, {
			webhookId: randomUUID(),
		});
		const { workflow, start } = await activateCrewWorkflow(withHeld, { wait: 'end' }, [further]);
		const topic = `hornets with ${what}`;
		await start([{ topic }]);
		const id = await waitUntilParked(sandbox, workflow);
		model.release(topic);
		const isFurther = async () => {
			const execution = await sandbox.api.getExecution(id);
			const { lastNodeExecuted } = execution.data.resultData;
			return execution.status === 'waiting' && lastNodeExecuted === further.name && execution;
		};
		const execution = await waitFor('the execution to wait further on', isFurther);

		const answer = await callAgain(results(execution)[0]!.kickoff_id as string);

		expect(answer.status).toBe(404);
		expect(await isFurther()).toBeTruthy();
		await sandbox.api.stopExecution(id);
	});

	test('the limit ends the wait; crews that have ended by then give their results', async () => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, {
			wait: 'end',
			resumeAmount: 5,
			resumeUnit: 'seconds',
		});
		await start([
			{ topic: 'stars', duration: 3_600_000 },
			{ topic: 'bees', duration: 100 },
		]);
		const id = await waitUntilParked(sandbox, workflow);

		const execution = await sandbox.api.waitForExecution(id, undefined, {
			timeout: LONGER_THAN_TWO_MINUTES,
		});

		const [slow, quick] = results(execution);
		expect(slow).toEqual({
			kickoff_id: expect.any(String) as string,
			status: 'timed_out',
			progress: expect.objectContaining({ current_task: 'take_time' }) as unknown,
			asked: 'stars',
		});
		expect(quick).toMatchObject({ status: 'completed', output: 'All about bees', asked: 'bees' });
	});

	test('50 executions parked at once are all resumed', async () => {
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' });
		const runs = Array.from({ length: 50 }, (_, index) => index);
		for (const index of runs) {
			await start([{ topic: `run ${index}`, duration: 12_000 + index * 20 }]);
		}

		const executions = await sandbox.api.waitForExecutionsOf(workflow.id, runs.length, {
			timeout: LONGER_THAN_TWO_MINUTES,
		});

		expect(executions.map(({ status }) => status)).toEqual(runs.map(() => 'success'));
		expect(executions.flatMap(results).map(({ output }) => output)).toEqual(
			expect.arrayContaining(runs.map((index) => `All about run ${index}`)),
		);
	});

	test('no result of 200 crews that end within 5 s and call back once is lost', async () => {
		const workflows = await Promise.all(
			[0, 1].map(() => activateCrewWorkflow(sandbox, { wait: 'end' })),
		);
		const runs = Array.from({ length: 200 }, (_, index) => index);
		for (const index of runs) {
			await workflows[index % 2]!.start([{ topic: `run ${index}`, duration: index * 25 }]);
		}

		const executions = await Promise.all(
			workflows.map(({ workflow }) =>
				sandbox.api.waitForExecutionsOf(workflow.id, 100, { timeout: LONGER_THAN_TWO_MINUTES }),
			),
		);

		const outcomes = executions.flat().flatMap(results);
		expect(outcomes.filter(({ status }) => status !== 'completed')).toEqual([]);
		expect(new Set(outcomes.map(({ output }) => output)).size).toBe(200);
	});

	test('kill -9 while parked: the callback after the restart ends the wait', async () => {
		const { workflow, start } = await activateCrewWorkflow(withHeld, { wait: 'end' });
		await start([{ topic: 'phoenix' }]);
		const id = await waitUntilParked(sandbox, workflow);
		await sandbox.n8n.kill();
		await sandbox.n8n.start();
		model.release('phoenix');

		const execution = await sandbox.api.waitForExecution(id);

		expect(results(execution)).toEqual([
			expect.objectContaining({ status: 'completed', output: 'All about phoenix' }),
		]);
		const executions = await held.executions();
		expect(executions.filter(({ inputs }) => inputs.topic === 'phoenix')).toHaveLength(1);
	});

	/** Repeats the callback with which a crew reported its end. */
	async function callAgain(kickoffId: string): Promise<Response> {
		const { url, body } = (await held.callbacks()).find(
			(one) => one.kind === 'crew' && JSON.stringify(one.body).includes(kickoffId),
		)!;
		return await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	}
});
