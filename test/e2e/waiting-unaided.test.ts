import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { timedCrew } from '../support/timedCrew';
import { node } from './support/chain';
import { crewWorkflow } from './support/crewWorkflow';
import { results, startOf, waitUntilParked } from './support/runs';

const AN_HOUR = 3_600_000;
const POLLING = { noticeBy: 'polling', pollInterval: 1 };

/** Waits that only n8n's own processes end. They take minutes, so they run at the same time. */
describe('waits in the real n8n without help from the crew', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({
			teardown,
			crew: { crew: timedCrew, faults: ['callback-lost'], delivery: { tries: 1 } },
		});
	});

	afterAll(() => teardown.run());

	/** Starts a separate workflow with these parameters and settings, and returns its execution. */
	async function begin(
		parameters: Parameters<typeof crewWorkflow>[1],
		duration: number,
		{ executionTimeout, rounds = 1 }: { executionTimeout?: number; rounds?: number } = {},
	): Promise<string> {
		const further = Array.from({ length: rounds - 1 }, (_, index) =>
			node(
				`Crew ${index + 2}`,
				'n8n-nodes-crew.crew',
				1,
				{
					operation: 'kickoff',
					specifyInputs: 'json',
					inputsJson: JSON.stringify({ topic: 'again', duration }),
					...parameters,
				},
				{ credentials: { crewApi: sandbox.credential } },
			),
		);
		const definition = crewWorkflow(sandbox.credential, parameters, {}, further);
		const settings = { executionOrder: 'v1' as const, executionTimeout };
		const workflow = await sandbox.api.createWorkflow({ ...definition, settings });
		await sandbox.api.activateWorkflow(workflow);
		await startOf(sandbox, workflow)([{ topic: 'bees', duration }]);
		return await waitUntilParked(sandbox, workflow);
	}

	const ended = async (id: string) =>
		await sandbox.api.waitForExecution(id, undefined, { timeout: 280_000 });

	const limited = (seconds: number) => ({
		wait: 'end',
		resumeAmount: seconds,
		resumeUnit: 'seconds',
		options: POLLING,
	});

	test('a lost callback is noticed at the question after 2 minutes, two limits one after the other are kept, a wait that is ended by a call does not count for the time limit of executions', async () => {
		const begun = Date.now();
		const [lost, twice, short] = await Promise.all([
			begin({ wait: 'end' }, 10_000),
			begin(limited(30), AN_HOUR, { rounds: 2 }),
			begin({ wait: 'end', options: POLLING }, 15_000, { executionTimeout: 10 }),
		]);

		const outOfTime = await ended(short);
		expect(outOfTime.status).toBe('success');
		expect(results(outOfTime)).toMatchObject([{ status: 'completed' }]);

		const limits = await ended(twice);
		expect(limits.status).toBe('success');
		expect(Math.abs(Date.now() - begun - 60_000)).toBeLessThan(25_000);

		const noticed = await ended(lost);
		expect(results(noticed)).toMatchObject([{ status: 'completed', output: 'All about bees' }]);
		expect(Date.now() - begun).toBeGreaterThan(115_000);
		expect(Date.now() - begun).toBeLessThan(180_000);
	});

	test('after kill -9 n8n’s timer ends waits without callbacks, and counts their time', async () => {
		const [counted, plain] = await Promise.all([
			begin(limited(5), AN_HOUR, { executionTimeout: 60 }),
			begin(limited(10), AN_HOUR),
		]);
		await sandbox.n8n.kill();
		await sandbox.n8n.start();

		expect(results(await ended(plain))).toMatchObject([
			{ status: 'timed_out', kickoff_id: expect.any(String) as string },
		]);
		expect((await ended(counted)).status).toBe('canceled');
	});
});
