import { readFile } from 'node:fs/promises';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { startReceiver, type Receiver } from '../crew-server/support/receiver';
import { ScriptedCrew } from '../support/scriptedCrew';
import { failAfterClaim, lockSqlite } from '../support/sqliteLock';
import { ALL_WITH_OUTPUT, parkLargeJoin } from './support/largeJoin';
import { reportNode } from './support/reportNode';
import { activateCrewWorkflow, results, waitUntilParked } from './support/runs';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

describe('waiting while n8n is busy or changed', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let crew: ScriptedCrew;
	/** What comes after the wait, as seen from outside n8n. */
	let outside: Receiver;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
		crew = await ScriptedCrew.start({ outcomeOf: (topic) => ({ output: `All about ${topic}` }) });
		teardown.add(() => crew.close());
		outside = await startReceiver();
		teardown.add(() => outside.close());
	});

	afterAll(() => teardown.run());

	test.each([
		['and the callback never comes again', false],
		['and the callback comes again and again', true],
	])(
		'n8n cannot write for 2 s when the wait ends, %s: continues once',
		async (topic, isRepeated) => {
			const credential = await storeCrewCredential(sandbox.api, crew, topic);
			const { workflow, start } = await activateCrewWorkflow(
				{ api: sandbox.api, credential },
				{ wait: 'end' },
				[reportNode('Report', `${outside.url}/${isRepeated}`)],
			);
			await start([{ topic }]);
			const id = await waitUntilParked(sandbox, workflow);
			const [execution] = crew.about(topic);
			const { isHeld, released } = await lockSqlite(sandbox.home, 2_000);
			execution!.hasEnded = true;
			do await crew.callBack(execution!);
			while (isRepeated && isHeld());
			await released;
			const reports = () => outside.received.filter(({ path }) => path === `/${isRepeated}`);

			await waitFor('n8n to go on', () => reports().length > 0, { timeout: 60_000 });
			await sandbox.api.waitForExecution(id);
			const [status] = await crew.callBack(execution!);

			expect(status).toBe(409);
			expect(reports().map(({ body }) => body)).toEqual([
				{
					execution: id,
					item: expect.objectContaining({
						status: 'completed',
						output: `All about ${topic}`,
					}) as unknown,
				},
			]);
			expect(await sandbox.api.listExecutions({ workflowId: workflow.id })).toEqual([
				expect.objectContaining({ id, status: 'success' }),
			]);
			expect(crew.about(topic)).toHaveLength(1);
		},
	);

	test('n8n’s database fails just after n8n has claimed the execution: n8n loses it, and the log says what to do', async () => {
		const topic = 'claimed';
		const credential = await storeCrewCredential(sandbox.api, crew, topic);
		const { workflow, start } = await activateCrewWorkflow(
			{ api: sandbox.api, credential },
			{ wait: 'end', options: { noticeBy: 'polling', pollInterval: 2 } },
		);
		await start([{ topic }]);
		const id = await waitUntilParked(sandbox, workflow);
		const endFailure = await failAfterClaim(sandbox.home, id);
		const [execution] = crew.about(topic);
		execution!.hasEnded = true;

		await waitFor('the log to say it', async () =>
			(await readFile(sandbox.n8n.logFile, 'utf8')).includes('read the results with Get Status'),
		);
		await endFailure();
		const state = async () => (await sandbox.api.listExecutions({ workflowId: workflow.id }))[0];
		expect(await state()).toMatchObject({ id, status: 'running' });
		await sandbox.api.stopExecution(id);
		expect(await state()).toMatchObject({ status: 'canceled' });
	});

	test.each([
		['a callback', 'callback'],
		['polling', 'polling'],
	])(
		'the credential is deleted meanwhile: %s ends the wait with the result',
		async (_what, noticeBy) => {
			const topic = `deleted, ${noticeBy}`;
			const credential = await storeCrewCredential(sandbox.api, crew, topic);
			const { workflow, start } = await activateCrewWorkflow(
				{ api: sandbox.api, credential },
				{
					wait: 'end',
					resumeAmount: 45,
					resumeUnit: 'seconds',
					options: { noticeBy, pollInterval: 2 },
				},
			);
			await start([{ topic }]);
			const id = await waitUntilParked(sandbox, workflow);
			await sandbox.api.deleteCredential(credential);
			const [execution] = crew.about(topic);
			execution!.hasEnded = true;
			if (noticeBy === 'callback') await crew.callBack(execution!);

			expect(results(await sandbox.api.waitForExecution(id))).toEqual([
				expect.objectContaining({ status: 'completed', output: `All about ${topic}` }),
			]);
		},
	);

	test('a join whose results exceed what n8n accepts in a call: each item has its output', async () => {
		const end = await parkLargeJoin(sandbox, teardown);

		expect(await end()).toEqual(ALL_WITH_OUTPUT);
	});
});
