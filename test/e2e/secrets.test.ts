import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLocalCrew } from '../../local-crew/src';
import { credentialFor, storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples } from '../../sandbox/src/examples';
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

	test('neither secret nor access token is in n8n’s database, its log or any other file', async () => {
		const found: string[] = [];
		let bytes = 0;
		for (const file of await filesBelow(sandbox.home)) {
			const content = await readFile(file);
			bytes += content.length;
			for (const [name, secret] of Object.entries(secrets)) {
				if (content.includes(secret)) found.push(`${name} in ${file}`);
			}
		}
		expect(found).toEqual([]);
		expect(bytes).toBeGreaterThan(100_000);
	});

	test('the tokens of callback URLs are in no execution and in no log line', async () => {
		const tokens = sandbox.crew.callbacks().flatMap(({ url, headers }) => {
			const [, bearer] = headers.authorization?.split(' ') ?? [];
			return new URL(url).searchParams.get('token') ?? bearer ?? [];
		});
		expect(new Set(tokens).size).toBeGreaterThanOrEqual(4);
		const database = await readFile(join(sandbox.home, '.n8n', 'database.sqlite'));
		const log = sandbox.n8n.lines.join('\n');
		for (const token of new Set(tokens)) {
			expect(database.includes(token)).toBe(false);
			expect(log).not.toContain(token);
		}
	});

	/** A crew that tells a trigger of its failure, and a stranger who calls the trigger too. */
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
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'callback' });
		await start([{ topic: 'bees', duration: 4_000, failure: 'No bees' }]);
		await api.waitForExecution(await waitUntilParked(sandbox, workflow));
	}

	/** A missing input, an unknown execution, a token that the crew refuses, and a crew that is gone. */
	async function runRefusals(): Promise<void> {
		const { api, credential } = sandbox;
		const gone = await startLocalCrew({ crew: timedCrew, accessToken: secrets.accessToken });
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

async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => !file.includes('node_modules'));
}
