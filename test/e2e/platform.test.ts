import { randomUUID } from 'node:crypto';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { JsonRecord } from '../../nodes/Crew/model/json';
import { NOT_FOUND_MEANS } from '../../nodes/Crew/model/execution';
import type { Execution, StoredWorkflow } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { chain, node } from './support/chain';
import { activateCrewWorkflow } from './support/runs';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const ARTICLES = [
	{ topic: 'bees', audience: 'children' },
	{ topic: 'wasps', audience: 'adults' },
];

describe('a crew that answers as CrewAI’s platform does, in the real n8n', () => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;

	beforeAll(async () => {
		const crew = { crew: 'reviewed-article', dialect: 'platform' } as const;
		sandbox = await startSharedSandbox({ teardown, crew });
	});

	afterAll(() => teardown.run());

	function crewNode(name: string, parameters: INodeParameters): INode {
		const credentials = { crewApi: sandbox.credential };
		return node(name, 'n8n-nodes-crew.crew', 1, parameters, { credentials });
	}

	/** A node that answers the questions in its input items. */
	const resumeNode = (decision: string, wait: 'end' | 'no', parameters: INodeParameters = {}) =>
		crewNode(decision, {
			operation: 'resume',
			kickoffId: '={{ $json.kickoff_id }}',
			taskId: '={{ $json.task_id }}',
			decision,
			humanFeedback: `I ${decision} it`,
			callbacks: 'none',
			wait,
			...parameters,
		});

	const itemsOf = (execution: Execution | undefined, name: string): IDataObject[] =>
		outputOf(execution!, name).map(({ json }) => json);

	/** The crew's resume requests, with their answers. */
	const resumesSince = (first: number) =>
		sandbox.crew
			.requests()
			.filter(({ path }) => path.endsWith('/resume'))
			.slice(first)
			.map(({ body, status }) => ({ ...(body as JsonRecord), status }));

	test('rejects and approves the drafts of two items at once, each answered once', async () => {
		const nodes = [resumeNode('reject', 'end'), resumeNode('approve', 'end')];
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' }, nodes);
		await start(ARTICLES);

		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);

		const asked = itemsOf(execution, 'Crew');
		const again = itemsOf(execution, 'reject');
		const done = itemsOf(execution, 'approve');
		for (const [item, { topic }] of ARTICLES.entries()) {
			expect(asked[item]).toMatchObject({ status: 'pending_human_input' });
			expect(asked[item]?.task_output).toContain(topic);
			expect(again[item]).toMatchObject({
				status: 'pending_human_input',
				resumed_from: asked[item]?.kickoff_id,
			});
			expect(again[item]?.task_output).toContain('I reject it');
			expect(done[item]).toMatchObject({
				status: 'completed',
				resumed_from: again[item]?.kickoff_id,
			});
			expect(done[item]?.output).toContain('I approve it');
		}
		const resumes = resumesSince(0);
		const taken = resumes.filter(({ status }) => status === 200);
		expect(taken.map(({ executionId }: JsonRecord) => executionId).sort()).toEqual(
			[...asked, ...again].map(({ kickoff_id: id }) => id).sort(),
		);
		// Only those that were sent before the node knew the crew's field names were refused.
		expect(resumes.filter(({ status }) => status !== 200).length).toBeLessThanOrEqual(2);
	});

	test('is asked for the status right after its question, and the item explains the answer', async () => {
		const status = crewNode('status', {
			operation: 'getStatus',
			kickoffId: '={{ $json.kickoff_id }}',
		});
		const { workflow, start } = await activateCrewWorkflow(sandbox, { wait: 'end' }, [status]);
		await start(ARTICLES.slice(0, 1));

		const [execution] = await sandbox.api.waitForExecutionsOf(workflow.id);

		const [asked] = itemsOf(execution, 'Crew');
		expect(asked?.status).toBe('pending_human_input');
		expect(itemsOf(execution, 'status')).toEqual([
			{ kickoff_id: asked?.kickoff_id, status: 'not_found', ...NOT_FOUND_MEANS },
		]);
	});

	test.each(['end', 'no'] as const)('is approved by trigger: %s', async (wait) => {
		const first = resumesSince(0).length;
		const trigger = await listen(wait);
		const triggerUrl = sandbox.api.productionUrl(trigger.nodes[0]!)!;
		const { start } = await activateCrewWorkflow(sandbox, {
			wait: 'no',
			...{ callbacks: 'trigger', triggerUrl, triggerEvents: ['human_input', 'crew'] },
		});
		await start(ARTICLES.slice(0, 1));

		const runs = await waitFor('the crew to be answered, and to tell of its end', async () => {
			const executions = await sandbox.api.waitForExecutionsOf(trigger.id);
			const told = executions.flatMap((each) => itemsOf(each, 'Crew Trigger'));
			const isAnswered = executions.some((each) => itemsOf(each, 'approve').length > 0);
			return isAnswered && told.some(({ event }) => event === 'crew') && executions;
		});

		const resumed = runs.flatMap((each) => itemsOf(each, 'approve'));
		expect(resumed).toHaveLength(1);
		expect(resumed[0]).toMatchObject({
			status: wait === 'end' ? 'completed' : 'started',
			callbacks: { triggerUrl },
		});
		const [ended] = runs
			.flatMap((each) => itemsOf(each, 'Crew Trigger'))
			.filter(({ event }) => event === 'crew');
		expect(ended).toMatchObject({ kickoff_id: resumed[0]?.kickoff_id });
		expect(ended?.output).toContain('I approve it');
		// By now, the node knows the crew's field names.
		expect(resumesSince(first)).toMatchObject([
			{ executionId: resumed[0]?.resumed_from, isApprove: true, status: 200 },
		]);
	});

	/** A workflow that a question starts, and that approves, so that the crew keeps calling it. */
	async function listen(wait: 'end' | 'no'): Promise<StoredWorkflow> {
		const settings = { webhookId: randomUUID(), credentials: { crewApi: sandbox.credential } };
		const trigger = node('Crew Trigger', 'n8n-nodes-crew.crewTrigger', 2, {}, settings);
		const isQuestion = node('Question?', 'n8n-nodes-base.filter', 2.2, {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				combinator: 'and',
				conditions: [
					{
						leftValue: '={{ $json.event }}',
						rightValue: 'human_input',
						operator: { type: 'string', operation: 'equals' },
					},
				],
			},
		});
		const approve = resumeNode('approve', wait, {
			callbacks: 'same',
			sameCallbacks: '={{ $json.callbacks }}',
		});
		const workflow = await sandbox.api.createWorkflow(
			chain('Answer', [trigger, isQuestion, approve]),
		);
		await sandbox.api.activateWorkflow(workflow);
		return workflow;
	}
});
