import { setTimeout as sleep } from 'node:timers/promises';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import { ScriptedCrew } from '../support/scriptedCrew';
import { chain, node, webhookNode } from './support/chain';
import { reportNode } from './support/reportNode';
import { activateCrewWorkflow, startOf, waitUntilParked } from './support/runs';

/** Milliseconds for which n8n has no slot for the continued execution. */
const QUEUED = 60_000;
/** Milliseconds after which a crew gives up on an unanswered callback and calls again. */
const PATIENCE = 5_000;

describe('waiting under a production concurrency limit', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;
	let crew: ScriptedCrew;
	let outside: Receiver;
	/** Ends the execution that occupies n8n's only slot. */
	let release: () => void;

	beforeAll(async () => {
		const env = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };
		sandbox = await startSandbox({ teardown, env });
		crew = await ScriptedCrew.start({ outcomeOf: (topic) => ({ output: `All about ${topic}` }) });
		teardown.add(() => crew.close());
		outside = await startReceiver();
		teardown.add(() => outside.close());
	});

	afterAll(() => teardown.run());

	test('repeated callbacks while the execution is queued: what follows runs once, and so does a second wait', async () => {
		const { api } = sandbox;
		const credential = await storeCrewCredential(api, crew, 'Queued');
		const waitsAgain = node(
			'Second',
			'n8n-nodes-crew.crew',
			1,
			{
				operation: 'kickoff',
				specifyInputs: 'json',
				inputsJson: '={{ JSON.stringify({ topic: "second" }) }}',
				wait: 'end',
			},
			{ credentials: { crewApi: credential } },
		);
		const { workflow, start } = await activateCrewWorkflow({ api, credential }, { wait: 'end' }, [
			reportNode('Between', `${outside.url}/between`),
			waitsAgain,
			reportNode('End', `${outside.url}/end`),
		]);
		await start([{ topic: 'first' }]);
		const id = await waitUntilParked(sandbox, workflow);
		const [first] = crew.about('first');
		await occupy();
		first!.hasEnded = true;
		const queuedUntil = performance.now() + QUEUED;
		while (performance.now() < queuedUntil) {
			await crew.callBack(first!, PATIENCE);
			await sleep(PATIENCE);
		}
		release();
		await waitFor('the second crew to be started', () => crew.about('second').length > 0);
		await waitUntilParked(sandbox, workflow);
		await crew.callBack(first!);
		const isOver = async () => {
			for (const second of crew.about('second')) {
				second.hasEnded = true;
				await crew.callBack(second, PATIENCE);
			}
			const summary = await api.newestExecution(workflow.id);
			return summary?.status !== 'waiting' && summary?.status !== 'running' && summary;
		};
		const execution = await waitFor('the execution to end', isOver, { interval: 1_000 });

		expect(execution).toMatchObject({ id, status: 'success' });
		expect(crew.executions.map(({ topic }) => topic)).toEqual(['first', 'second']);
		expect(outside.received.map(({ path }) => path)).toEqual(['/between', '/end']);
		expect(await api.listExecutions({ workflowId: workflow.id })).toHaveLength(1);
	});

	/** Returns when another execution has taken n8n's only slot. */
	async function occupy(): Promise<void> {
		let isTaken = false;
		const slot = await startReceiver(() => {
			isTaken = true;
			return 'hang';
		});
		teardown.add(() => slot.close());
		release = () => void slot.close();
		const occupant = await sandbox.api.createWorkflow(
			chain('Occupant', [
				webhookNode('Webhook'),
				{ ...reportNode('Stay', slot.url), onError: 'continueRegularOutput' },
			]),
		);
		await sandbox.api.activateWorkflow(occupant);
		await startOf(sandbox, occupant)([]);
		await waitFor('n8n’s slot to be taken', () => isTaken);
	}
});
