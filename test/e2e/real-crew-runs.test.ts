import type { Browser } from 'playwright-core';

import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples } from '../../sandbox/src/examples';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { childrenOfHosts, isAlive } from '../crewai/support/processes';
import { startToolCallingModel } from '../support/toolCallingModel';
import { launchChromium } from './support/chromium';
import { Person } from './support/person';
import { prepareRealCrews, type RealCrew, type RealCrews } from './support/realCrews';
import { activateCrewWorkflow, results } from './support/runs';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const AGENT = 'crew-as-a-tool.json';
const ONE_CANVAS = 'approve-on-one-canvas.json';

describe('real crews that n8n runs', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let crews: RealCrews;
	let crew: RealCrew;
	/** The sandbox, with the credential of the real crew. */
	let running: Pick<SharedSandbox, 'api' | 'credential'>;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
		crews = await prepareRealCrews(teardown);
		crew = await crews.deploy('tea_guide');
		const { api } = sandbox;
		running = { api, credential: await storeCrewCredential(api, crew, 'Real crew') };
	});

	beforeEach(() => {
		crews.model.asked.length = 0;
	});

	afterAll(() => teardown.run());

	test('20 items are 20 separate executions, which are joined once', async () => {
		const { model } = crews;
		model.script = ({ messages }) => {
			const [, topic = ''] = /about (\w+) for all/.exec(JSON.stringify(messages)) ?? [];
			return topic === '' ? 'Three things' : `All about ${topic}`;
		};
		const topics = Array.from({ length: 20 }, (_, index) => `topic${index}`);
		const { workflow, start } = await activateCrewWorkflow(running, { wait: 'end' });
		await start(topics.map((topic) => ({ topic, audience: 'all' })));
		const [execution, ...others] = await sandbox.api.waitForExecutionsOf(workflow.id);

		const items = results(execution!);
		expect(items.map(({ asked, status, output }) => [asked, status, output])).toEqual(
			topics.map((topic) => [topic, 'completed', `All about ${topic}`]),
		);
		expect(new Set(items.map(({ kickoff_id: id }) => id)).size).toBe(topics.length);
		// Two tasks each, none of them twice.
		expect(model.asked).toHaveLength(2 * topics.length);
		expect(others).toEqual([]);
		expect(execution!.data.resultData.runData['After']).toHaveLength(1);
	});

	test('Stop on Cancel ends the process of the crew', async () => {
		const { model } = crews;
		model.script = () => undefined;
		const [spare = 0] = await waitFor('one process to be ready for the next execution', () => {
			const children = childrenOfHosts(crew.pid);
			return children.length === 1 && children;
		});
		const options = { hold: true, stopOnCancel: true, pollInterval: 1 };
		const { workflow, start } = await activateCrewWorkflow(running, { wait: 'end', options });
		await start([{ topic: 'moths', audience: 'all' }]);
		await waitFor('the model to be asked', () => model.asked.length === 1);
		expect(isAlive(spare)).toBe(true);

		const [{ id } = { id: '' }] = await sandbox.api.listExecutions({ workflowId: workflow.id });
		await sandbox.api.stopExecution(id);

		await waitFor('the process to be gone', () => !isAlive(spare));
		expect((await sandbox.api.waitForExecution(id)).status).toBe('canceled');
		// No other process takes over.
		await waitFor('only the next one to be there', () => childrenOfHosts(crew.pid).length === 1);
		expect(model.asked).toHaveLength(1);
	});

	test('the item of a crew whose model refuses its key says so, without any part of the key', async () => {
		const { env } = crews.model;
		const key = env.OPENAI_API_KEY;
		env.OPENAI_API_KEY = 'the-one-that-is-valid-now';
		const { workflow, start } = await activateCrewWorkflow(running, { wait: 'end' });
		await start([{ topic: 'wasps', audience: 'all' }]);
		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);
		env.OPENAI_API_KEY = key;

		const [item] = results(execution!);
		expect(item).toMatchObject({
			status: 'failed',
			error: expect.stringMatching(/401.*Incorrect API key provided/) as string,
		});
		const text = JSON.stringify(execution);
		for (const part of [key.slice(0, 8), key.slice(-4)]) expect(text).not.toContain(part);
	});

	test('an AI agent runs the crew as its tool', async () => {
		crews.model.script = () => 'Wind turbines are painted white';
		const agentsModel = await startToolCallingModel({ topic: 'wind turbines' });
		teardown.add(() => agentsModel.close());
		const { api } = sandbox;
		const openAiApi = await api.createCredential('Model of the agent', 'openAiApi', {
			apiKey: 'none',
			url: agentsModel.url,
		});
		const workflow = (await importExamples(api, running.credential, [AGENT])).get(AGENT)!;
		const inputsJson =
			"={{ JSON.stringify({ topic: $fromAI('topic', 'What to find out about', 'string'), audience: 'all' }) }}";
		const nodes = workflow.nodes.map((node) => {
			if (node.name === 'Chat Model') return { ...node, credentials: { openAiApi } };
			if (node.name !== 'Research Crew') return node;
			return { ...node, parameters: { ...node.parameters, inputsJson } };
		});
		const changed = await api.updateWorkflow(workflow.id, { ...workflow, nodes });
		const id = await api.runWorkflow(changed, {
			name: 'When Asked',
			json: { action: 'sendMessage', sessionId: 'test', chatInput: 'What about wind turbines?' },
		});
		const execution = await api.waitForExecution(id);

		expect(execution.data.resultData.error).toBeUndefined();
		const [item] = outputOf(execution, 'Agent');
		expect(item?.json.output).toContain('Wind turbines are painted white');
		expect(crews.model.asked).toHaveLength(2);
		expect(JSON.stringify(crews.model.asked[0]?.messages)).toContain('wind turbines');
	});

	describe('with a person in a browser', () => {
		let browser: Browser;

		beforeAll(async () => {
			browser = await launchChromium();
			teardown.add(() => browser.close());
		});

		test('a flow asks with `@human_feedback`, is sent back, and runs to its end', async () => {
			const { model } = crews;
			model.script = () => 'Milk is white';
			const flow = await crews.deploy('review_flow');
			const { api, url } = sandbox;
			const credential = await storeCrewCredential(api, flow, 'Real flow');
			const workflow = (await importExamples(api, credential, [ONE_CANVAS])).get(ONE_CANVAS)!;
			const person = await Person.whoAsksFor('Milk', browser, url, workflow);
			await person.review('Milk is white (1)', 'Reject', 'More about cows');
			await person.review('Draft with: More about cows', 'Approve');
			await person.review('Anything to add?', 'Approve', 'Nothing');
			await person.reads('Here it is');

			const [execution] = await api.waitForExecutionsOf(workflow.id);
			const [answer] = outputOf(execution!, 'Answer the Crew');
			expect(answer?.json).toMatchObject({ status: 'completed', output_json: { topic: 'Milk' } });
			// Draft, source, and the meaning of the rejection: no method ran again.
			expect(model.asked).toHaveLength(3);
		});
	});
});
