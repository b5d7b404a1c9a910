import execa from 'execa';
import { startCrewServer } from '../../crew-server/src';
import { credentialFor, storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples } from '../../sandbox/src/examples';
import { KnownSecrets } from '../../sandbox/src/leaks/known-secrets';
import { searchHome, searchOutput } from '../../sandbox/src/leaks/search';
import { ensureN8n } from '../../sandbox/src/n8n-install';
import { startPostgres } from '../../sandbox/src/postgres';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox';
import { Teardown } from '../../sandbox/src/teardown';
import { timedCrew } from '../support/timedCrew';
import { activateCrewWorkflow, waitUntilParked } from './support/runs';

const WATCH_LIVE = 'watch-live.json';
const BY_TRIGGER = 'approve-by-trigger.json';

describe('after runs with failures', () => {
	const teardown = new Teardown();
	let sandbox: Sandbox;
	let secrets: Record<string, string>;

	beforeAll(async () => {
		sandbox = await startSandbox({
			teardown,
			crew: { crew: timedCrew },
			env: { N8N_LOG_LEVEL: 'debug' },
		});
		const { accessToken, callbackSecret } = credentialFor(sandbox.crew);
		secrets = { accessToken, callbackSecret };
		await runCallbacks();
		await runWaits();
		await runRefusals();
		await sandbox.n8n.stop();
	});

	afterAll(() => teardown.run());

	test('no secret is in n8n’s database, its log or any other file', async () => {
		const { found, bytes } = await searchHome(sandbox.home, await ensureN8n(), sandbox.secrets);
		expect(found).toEqual([]);
		expect(bytes).toBeGreaterThan(100_000);
	});

	test('the search knows every token that a crew was given', async () => {
		const given = (await sandbox.crew.executions()).map(({ callbacks }) => callbacks);
		const inUrls = (await sandbox.crew.callbacks()).flatMap(
			({ url }) => new URL(url).searchParams.get('token') ?? [],
		);
		const bearers = given
			.flatMap(({ humanInputWebhook, webhooks }) => [humanInputWebhook, webhooks])
			.map((target) => target?.authentication)
			.flatMap((proof) => (proof?.strategy === 'bearer' ? proof.token : []));
		const tokens = [...inUrls, ...bearers];
		expect(new Set(tokens).size).toBeGreaterThanOrEqual(4);
		const known = sandbox.secrets.all();
		expect(tokens.filter((token) => !known.has(token))).toEqual([]);
	});

	/** A crew that reports its failure to a trigger, and a stranger who calls the trigger, too. */
	async function runCallbacks(): Promise<void> {
		const { api, credential } = sandbox;
		const workflows = await importExamples(api, credential, [WATCH_LIVE, BY_TRIGGER]);
		for (const [file, workflow] of workflows) {
			const failure = file === WATCH_LIVE ? 'The tide is out' : '';
			const kickoff = workflow.nodes.find(({ name }) => name === 'Kick Off the Crew')!;
			kickoff.parameters = {
				...kickoff.parameters,
				specifyInputs: 'json',
				inputsJson: JSON.stringify({ topic: 'tides', duration: 50, failure }),
				triggerEvents: ['crew', 'human_input', 'step', 'stream', 'task'],
			};
			const changed = await api.updateWorkflow(workflow.id, workflow);
			await api.activateWorkflow(changed);
			await api.waitForExecution(await api.runWorkflow(changed));
			const trigger = changed.nodes.find(({ type }) => type === 'n8n-nodes-crew.crewTrigger')!;
			const answer = await fetch(`${api.productionUrl(trigger)!}?callback=crew&token=wrong`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', authorization: 'Bearer wrong' },
				body: '{"kickoff_id": "x", "result": "y"}',
			});
			expect(answer.status).toBe(401);
		}
	}

	async function runWaits(): Promise<void> {
		const { api } = sandbox;
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' });
		await start([{ topic: 'bees', duration: 4_000, failure: 'No bees' }]);
		await api.waitForExecution(await waitUntilParked(sandbox, workflow));
	}

	/** A missing input, an unknown execution, a token that the crew refuses, and a crew that is gone. */
	async function runRefusals(): Promise<void> {
		const { api, credential } = sandbox;
		const gone = await startCrewServer({ crew: timedCrew, accessToken: secrets.accessToken });
		const goneCredential = await storeCrewCredential(api, gone, 'A crew that is gone');
		await gone.close();
		const refused = await api.createCredential('A token that is refused', 'crewApi', {
			...credentialFor(sandbox.crew),
			accessToken: `${secrets.accessToken ?? ''}-refused`,
		});
		const runs = [
			{ credential, parameters: {} },
			{ credential, parameters: { operation: 'getStatus', kickoffId: 'unknown' } },
			{ credential: refused, parameters: {} },
			{ credential: goneCredential, parameters: {} },
		];
		for (const { credential: used, parameters } of runs) {
			const { workflow, start } = await activateCrewWorkflow({ api, credential: used }, parameters);
			await start([{ duration: 1 }]);
			const [execution] = await api.waitForExecutionsOf(workflow.id);
			expect(execution?.status).toBe('error');
		}
	}
});

describe('a secret that was written down', () => {
	const teardown = new Teardown();

	// It rejects: that is what is tested.
	afterAll(() => teardown.run().catch(() => undefined));

	test('by n8n, in an execution, fails the end of the sandbox', async () => {
		const sandbox = await startSandbox({ teardown, crew: { crew: timedCrew } });
		const { workflow, start } = await activateCrewWorkflow(sandbox, {});
		await start([{ topic: `My token is ${sandbox.crew.accessToken}`, duration: 1 }]);
		await sandbox.api.waitForExecutionsOf(workflow.id);

		await expect(sandbox.stop()).rejects.toThrow(
			/access token in (the rows of )?\.n8n\/database\.sqlite/,
		);
	});

	test('in PostgreSQL, is found in its dump', async () => {
		const postgres = await startPostgres();
		try {
			const secrets = new KnownSecrets();
			const accessToken = 'a-token-of-some-length';
			secrets.note({ type: 'crewApi', data: { accessToken } });
			const search = async () =>
				await searchOutput(postgres.dump.command, 'PostgreSQL', secrets, postgres.dump.env);
			await expect(search()).resolves.toMatchObject({ found: [] });

			const value = Buffer.from(`user:${accessToken}`).toString('base64');
			const sql = `CREATE TABLE kept AS SELECT repeat('x', 9000) || '${value}' AS data`;
			const address = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres'];
			await execa('psql', [...address, '-c', sql], { env: postgres.dump.env });

			await expect(search()).resolves.toMatchObject({ found: ['access token in PostgreSQL'] });
		} finally {
			await postgres.stop();
		}
	});
});
