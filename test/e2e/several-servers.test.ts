import type { CrewServerOptions } from '../../crew-server/src';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples } from '../../sandbox/src/examples';
import type { StoredCredential } from '../../sandbox/src/n8n-types';
import { startPostgres } from '../../sandbox/src/postgres';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { deployApart, type Apart } from '../crew-server/support/apart';
import { launchChromium } from './support/chromium';
import { Person } from './support/person';
import { RoundRobin } from './support/roundRobin';
import { activateCrewWorkflow, results } from './support/runs';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const ONE_CANVAS = 'approve-on-one-canvas.json';
/** Milliseconds of a task: longer than all kickoffs take. */
const TASK = 3_000;

const WRITERS: CrewServerOptions['crew'] = {
	name: 'writers',
	inputs: [{ name: 'topic', type: 'string', required: true, description: 'What it is about' }],
	tasks: ['Notes', 'All'].map((beginning, index) => ({
		name: `task_${index}`,
		description: 'Work on {topic}',
		expectedOutput: 'A text',
		agent: 'Writer',
		duration: TASK,
		output: `${beginning} about {topic}`,
	})),
};

describe('two crew servers on one database, behind a proxy', () => {
	const teardown = new Teardown();
	let port: number;

	beforeAll(async () => {
		const postgres = await startPostgres();
		teardown.add(() => postgres.stop());
		({ port } = postgres);
	});

	afterAll(() => teardown.run());

	/** The sandbox's own server stays; the other one is a separate process that can be killed. */
	async function startServers(crew: CrewServerOptions['crew'], deployment: string) {
		const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
		const options: CrewServerOptions = { crew, dialect: 'both', database: { url, deployment } };
		const sandbox: SharedSandbox = await startSharedSandbox({ teardown, crew: options });
		const doomed: Apart = await deployApart(options);
		teardown.add(() => doomed.kill());
		const proxy = new RoundRobin([doomed.crew.url, sandbox.crew.url]);
		const { accessToken } = sandbox.crew;
		const behind = { url: await proxy.listen(), accessToken };
		teardown.add(() => proxy.close());
		const credential: StoredCredential = await storeCrewCredential(sandbox.api, behind, deployment);
		return { sandbox, doomed, proxy, credential };
	}

	test('20 items are joined once, each with its crew’s result, although one server is killed', async () => {
		const { sandbox, doomed, proxy, credential } = await startServers(WRITERS, 'Items');
		const { api, crew } = sandbox;
		const topics = Array.from({ length: 20 }, (_, index) => `topic ${index}`);
		let kickoffs = 0;
		proxy.loses = async (server, { url }) => {
			if (server !== doomed.crew.url || url !== '/kickoff') return false;
			kickoffs += 1;
			if (kickoffs < 4) return false;
			await doomed.kill();
			return true;
		};
		const { workflow, start } = await activateCrewWorkflow({ api, credential }, { wait: 'end' });
		await start(topics.map((topic) => ({ topic })));
		const [execution, ...others] = await api.waitForExecutionsOf(workflow.id);

		const items = results(execution!);
		const made = await crew.executions();
		const idOf = new Map(made.map(({ inputs, kickoffId }) => [inputs['topic'], kickoffId]));
		expect(
			items.map(({ asked, kickoff_id, status, output }) => [asked, kickoff_id, status, output]),
		).toEqual(topics.map((topic) => [topic, idOf.get(topic), 'completed', `All about ${topic}`]));
		expect(made).toHaveLength(topics.length);
		expect(others).toEqual([]);
		expect(execution!.data.resultData.runData['After']).toHaveLength(1);
		// Unanswered kickoffs were sent again, and executions that had begun were taken over.
		expect(new Set(proxy.keys).size).toBe(topics.length);
		expect(proxy.keys.length).toBeGreaterThan(topics.length);
		const interruptions = made.flatMap(({ tasks }) =>
			tasks.map(({ interruptions: count = 0 }) => count),
		);
		expect(Math.max(...interruptions)).toBe(1);
	});

	test('a person answers at one server a question of the other, which is gone', async () => {
		const { sandbox, doomed, proxy, credential } = await startServers('reviewed-article', 'Person');
		const { api, crew, url } = sandbox;
		proxy.servers = [doomed.crew.url];
		const browser = await launchChromium();
		teardown.add(() => browser.close());
		const workflow = (await importExamples(api, credential, [ONE_CANVAS])).get(ONE_CANVAS)!;
		const person = await Person.whoAsksFor('city bees', browser, url, workflow);
		await person.reads('This article helps');
		await doomed.kill();
		proxy.servers = [doomed.crew.url, crew.url];
		await person.review('This article helps', 'Approve', 'Well done');
		await person.reads('Here it is');

		const [execution] = await api.waitForExecutionsOf(workflow.id);
		const [answer] = outputOf(execution!, 'Answer the Crew');
		const made = await crew.executions();
		expect(made).toHaveLength(1);
		expect(answer?.json).toMatchObject({
			kickoff_id: made[0]!.kickoffId,
			status: 'completed',
			output: expect.stringContaining('Well done') as string,
		});
	});
});
