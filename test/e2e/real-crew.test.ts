import type { IDataObject } from 'n8n-workflow';
import type { Browser } from 'playwright-core';

import { EVENT_TYPES } from '../../nodes/Crew/callbacks/eventTypes';
import { storeCrewCredential } from '../../sandbox/src/crew-credential';
import { importExamples } from '../../sandbox/src/examples';
import type { Execution, StoredCredential, StoredWorkflow } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import type { Script } from '../crewai/support/scriptedModel';
import { chain, crewTriggerNode } from './support/chain';
import { launchChromium } from './support/chromium';
import { Editor } from './support/editor';
import { Person } from './support/person';
import { prepareRealCrews, type RealCrew, type RealCrews } from './support/realCrews';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const ONE_CANVAS = 'approve-on-one-canvas.json';

/** The answers of an obedient model. */
const script: Script = ({ messages }) => {
	const text = JSON.stringify(messages);
	if (text.includes('Shorten the draft')) return 'Bees, in short';
	return text.includes('With more honey') ? 'Bees and honey' : 'Bees alone';
};

describe('a real crew asks a person in n8n', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let browser: Browser;
	let crews: RealCrews;
	let crew: RealCrew;
	let credential: StoredCredential;
	let workflow: StoredWorkflow;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({ teardown });
		browser = await launchChromium();
		teardown.add(() => browser.close());
		crews = await prepareRealCrews(teardown);
		crew = await crews.deploy('desk');
		credential = await storeCrewCredential(sandbox.api, crew, 'Real crew');
	});

	beforeEach(async () => {
		crews.model.script = script;
		crews.model.asked.length = 0;
		workflow = (await importExamples(sandbox.api, credential, [ONE_CANVAS])).get(ONE_CANVAS)!;
	});

	afterAll(() => teardown.run());

	test('rejected with feedback, asked again, approved; a trigger gets everything, once', async () => {
		const { model } = crews;
		const heard = await hearBy(workflow);
		const person = await askFor('bees');
		await person.review('Bees alone', 'Reject', 'With more honey');
		await person.review('Bees and honey', 'Approve');
		expect(JSON.stringify(model.asked[1]?.messages)).toContain('Bees alone');
		// This crew asks after each of its three tasks.
		await person.review('Bees, in short', 'Approve');
		await person.review('some text', 'Approve');
		await person.reads('Here it is');
		const execution = await ended();
		const editor = await Editor.open(browser, sandbox.api.session);
		await editor.openExecution(workflow.id, execution.id);
		await editor.untilSuccess('Answer the Crew', 'Show the Article');
		expect(model.asked).toHaveLength(4);

		const kickoffId = outputOf(execution, 'Answer the Crew')[0]?.json.kickoff_id as string;
		const streamed = await eventIds(kickoffId);
		const items = await waitFor('the trigger to hear of all of it', async () => {
			const all = await heard();
			const ids = new Set(all.map(({ id }) => id));
			return (
				all.some(({ event }) => event === 'crew') && streamed.every((id) => ids.has(id)) && all
			);
		});
		expect(new Set(items.map(({ kickoff_id: id }) => id))).toEqual(new Set([kickoffId]));
		// Each answer of an agent is a step: the rejected draft is one, too.
		const count = (kind: string) => items.filter(({ event }) => event === kind).length;
		expect([count('task'), count('step'), count('crew')]).toEqual([3, 3, 1]);
		expect(
			items
				.filter(({ event }) => event === 'stream')
				.map(({ id }) => id)
				.sort(),
		).toEqual(streamed.sort());
	});

	test('kill -9 of the server while the model works, while it asks, and between the answer and the next task', async () => {
		const { model } = crews;
		const person = await askFor('bees');
		await person.reads('Bees alone');

		model.script = () => undefined;
		await person.review('Bees alone', 'Reject', 'With more honey');
		await waitFor('the model to work', () => model.asked.length === 2);
		await killAndStart();
		await person.reads('Bees and honey');
		expect(model.asked).toHaveLength(3);
		expect(JSON.stringify(model.asked[2]?.messages)).toContain('Bees alone');

		await killAndStart();
		// Requests meanwhile get no answer.
		model.script = () => undefined;
		await person.review('Bees and honey', 'Approve');
		const kickoffId = await kickedOff();
		await waitFor('the answer to arrive', async () => {
			const { body } = await crew.client.get(`/${kickoffId}/status`);
			return body['status'] === 'running';
		});
		await killAndStart();
		await person.review('Bees, in short', 'Approve');
		await person.review('some text', 'Approve');
		await person.reads('Here it is');
		await ended();
		// The draft was finished before the last two kills: it was not written again.
		const drafts = model.asked.filter(({ messages }) => {
			const text = JSON.stringify(messages);
			return text.includes('Draft a text') && !text.includes('Shorten the draft');
		});
		expect(drafts).toHaveLength(3);
	});

	const askFor = async (topic: string) =>
		await Person.whoAsksFor(topic, browser, sandbox.url, workflow);

	/** Kills the server, and starts another one on the same data. */
	async function killAndStart(): Promise<void> {
		await crew.end('SIGKILL');
		crews.model.script = script;
		await crew.start();
	}

	async function kickedOff(): Promise<string> {
		const [newest] = await sandbox.api.listExecutions({ workflowId: workflow.id });
		const execution = await sandbox.api.getExecution(newest!.id);
		return outputOf(execution, 'How Is It?')[0]?.json.kickoff_id as string;
	}

	/** The newest execution of the workflow, once it has ended with the crew's result. */
	async function ended(): Promise<Execution> {
		const [newest] = await sandbox.api.listExecutions({ workflowId: workflow.id });
		const execution = await sandbox.api.waitForExecution(newest!.id);
		expect(execution.status).toBe('success');
		expect(outputOf(execution, 'Answer the Crew')[0]?.json).toMatchObject({
			status: 'completed',
			output_json: { title: 'some text', stars: 1 },
		});
		return execution;
	}

	/** The IDs of an ended execution's events that a Crew Trigger gets. */
	async function eventIds(kickoffId: string): Promise<string[]> {
		const headers = { authorization: `Bearer ${crew.accessToken}` };
		const answer = await fetch(`${crew.url}/${kickoffId}/events`, { headers });
		const data = [...(await answer.text()).matchAll(/^data: ?(.+)$/gm)];
		const events = data.map(([, json = '']) => JSON.parse(json) as { id: string; type: string });
		return events.filter(({ type }) => EVENT_TYPES.includes(type)).map(({ id }) => id);
	}

	/** Makes the workflow's crew report to a Crew Trigger, and returns a function for all items that came out. */
	async function hearBy({
		id,
		nodes,
		...rest
	}: StoredWorkflow): Promise<() => Promise<IDataObject[]>> {
		const { api } = sandbox;
		const trigger = crewTriggerNode(credential);
		trigger.parameters = { events: [] };
		const listener = await api.createWorkflow(chain('Hears a crew', [trigger]));
		await api.activateWorkflow(listener);
		const reports: Record<string, IDataObject> = {
			'Kick Off the Crew': {
				callbacks: 'trigger',
				triggerUrl: api.productionUrl(trigger),
				triggerEvents: ['crew', 'task', 'step', 'stream'],
			},
			'Answer the Crew': {
				callbacks: 'same',
				sameCallbacks: "={{ $('How Is It?').item.json.callbacks }}",
			},
		};
		const changed = nodes.map((node) => {
			const parameters = { ...node.parameters, ...reports[node.name] };
			return { ...node, parameters } as typeof node;
		});
		await api.activateWorkflow(await api.updateWorkflow(id, { ...rest, nodes: changed }));
		return async () => {
			const executions = await api.listExecutions({ workflowId: listener.id });
			const all = await Promise.all(executions.map((one) => api.getExecution(one.id)));
			return all.flatMap((one) => outputOf(one, trigger.name)).map(({ json }) => json);
		};
	}
});
