import type { Browser, Page } from 'playwright-core';
import type { CrewServerOptions } from '../../crew-server/src';
import type { JsonRecord } from '../../nodes/Crew/model/json';
import { usualDialect } from '../../sandbox/src/crew-dialect';
import { importExamples } from '../../sandbox/src/examples';
import type { StoredWorkflow } from '../../sandbox/src/n8n-types';
import { outputOf } from '../../sandbox/src/run-data';
import { Teardown } from '../../sandbox/src/teardown';
import { waitFor } from '../../sandbox/src/wait-for';
import { launchChromium, openPage } from './support/chromium';
import { Editor } from './support/editor';
import { takePicture, takePictures } from './support/pictures';
import { startSharedSandbox, type SharedSandbox } from './support/sharedSandbox';

const ONE_CANVAS = 'approve-on-one-canvas.json';
const BY_TRIGGER = 'approve-by-trigger.json';

/** An unusual crew: the platform, with questions to both URLs. */
const PLATFORM: CrewServerOptions = { dialect: 'platform', aspects: { questions: 'both' } };

const CREWS: Array<[string, CrewServerOptions | undefined]> = [
	['a crew', undefined],
	// Once is enough: this file runs in other dialects, too.
	...(usualDialect() === 'documented'
		? [['a crew on CrewAI’s platform', PLATFORM] as [string, CrewServerOptions]]
		: []),
];

describe.each(CREWS)('a person approves what %s has written', (_what, options) => {
	const teardown = new Teardown();
	let sandbox: SharedSandbox;
	let browser: Browser;
	let workflows: Map<string, StoredWorkflow>;

	beforeAll(async () => {
		sandbox = await startSharedSandbox({
			teardown,
			crew: { crew: 'reviewed-article', ...options },
		});
		browser = await launchChromium();
		teardown.add(() => browser.close());
		workflows = await importExamples(sandbox.api, sandbox.credential, [ONE_CANVAS, BY_TRIGGER]);
	});

	afterAll(() => teardown.run());

	test('on one canvas: rejects once with feedback, approves, and reads the final output', async () => {
		const { id } = workflows.get(ONE_CANVAS)!;
		const page = await askFor('city bees');
		await review(page, 'This article helps', 'Reject', 'With more honey');
		await review(page, 'Revised as asked: With more honey', 'Approve', 'Well done');

		await page.getByText('Here it is').waitFor();
		await page.getByText('Ready to publish').waitFor();
		const [execution] = await sandbox.api.waitForExecutionsOf(id);
		expect(execution?.status).toBe('success');
		const [answer] = outputOf(execution!, 'Answer the Crew');
		expect(answer?.json).toMatchObject({
			status: 'completed',
			output: expect.stringContaining('Well done') as string,
		});
		const executions = await sandbox.crew.executions();
		expect(executions).toHaveLength(1);
		const resumes = sandbox.crew.requests().filter(({ path }) => path.endsWith('/resume'));
		const [rejected, approved] = resumes.slice(-2).map(({ body }) => body);
		if (options === PLATFORM) {
			// The first one was refused because of its field names.
			expect(resumes).toHaveLength(3);
			expect(rejected).toMatchObject({ isApprove: false, humanFeedback: 'With more honey' });
			expect(approved).toMatchObject({ isApprove: true, humanFeedback: 'Well done' });
			expect(answer?.json.kickoff_id).toBe(executions[0]?.kickoffId);
			expect(answer?.json.resumed_from).toBe((approved as JsonRecord).executionId);
			return;
		}
		expect(resumes).toHaveLength(2);
		expect(rejected).toMatchObject({ is_approve: false, human_feedback: 'With more honey' });
		expect(approved).toMatchObject({ is_approve: true, human_feedback: 'Well done' });
		const editor = await Editor.open(browser, sandbox.api.session);
		await editor.openExecution(id, execution!.id);
		await takePictures(editor.page, 'canvas', {
			icon: editor.node('Answer the Crew'),
			readable: ['Ask for a Topic', 'Kick Off the Crew', 'Review the Draft', 'Answer the Crew'].map(
				(name) => editor.node(name).getByText(name),
			),
			area: await editor.canvasArea(),
		});
	});

	/** Opens the form of the workflow on one canvas, and asks for an article. */
	async function askFor(topic: string): Promise<Page> {
		const { nodes } = workflows.get(ONE_CANVAS)!;
		const { webhookId } = nodes.find(({ name }) => name === 'Ask for a Topic')!;
		const page = await openPage(browser, { viewport: { width: 900, height: 800 } });
		await page.goto(`${sandbox.url}/form/${webhookId ?? ''}`);
		await page.getByLabel('Topic').fill(topic);
		await page.getByRole('button', { name: 'Submit' }).click();
		return page;
	}

	test('on one canvas: what a crew writes is shown as text', async () => {
		const page = await askFor('bees <b>and</b> wasps');
		await page.getByText('heard of bees <b>and</b> wasps').waitFor();
	});

	/** Waits for the page that shows a draft with these words in it, and answers it. */
	async function review(
		page: Page,
		words: string,
		decision: string,
		feedback: string,
	): Promise<void> {
		await page.getByText(words).waitFor();
		await page.getByLabel('Decision').selectOption(decision);
		await page.getByLabel('Feedback').fill(feedback);
		const isPictured = decision === 'Reject' && options === undefined;
		if (isPictured) await takePicture(page.locator('.card').first(), 'review');
		await page.getByRole('button', { name: 'Answer the crew' }).click();
	}

	/** Follows the workflow's note in the editor. */
	async function runAsTheNoteSays({ id, nodes }: StoredWorkflow): Promise<void> {
		const note = nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote')!;
		expect(note.parameters.content).toContain(
			'click the arrow beside **Execute workflow**, choose **from When clicking Execute**, and click **Execute workflow**.',
		);
		const editor = await Editor.open(browser, sandbox.api.session);
		await editor.openWorkflow(id);
		const { page } = editor;
		await page.getByRole('button', { name: 'Select trigger node' }).click();
		await page.getByRole('menuitem', { name: 'from When clicking Execute' }).click();
		await page.getByTestId('execute-workflow-button').click();
		await editor.untilSuccess('Kick Off the Crew');
	}

	test('by trigger: the crew keeps calling to its end', async () => {
		const workflow = workflows.get(BY_TRIGGER)!;
		const before = (await sandbox.crew.executions()).length;
		await runAsTheNoteSays(workflow);
		const page = await openPage(browser);

		for (const decision of ['Reject', 'Approve']) {
			const waiting = await waitFor('the workflow to ask a person', async () => {
				const executions = await sandbox.api.listExecutions({ workflowId: workflow.id });
				return executions.find(({ status }) => status === 'waiting')?.id;
			});
			const [link] = outputOf(await sandbox.api.getExecution(waiting), 'Link to the Form');
			await page.goto(link?.json.form as string);
			await page.getByLabel('Decision').selectOption(decision);
			await page.getByLabel('Feedback').fill(`I ${decision.toLowerCase()} it`);
			await page.getByRole('button', { name: 'Submit' }).click();
			await sandbox.api.waitForExecution(waiting);
		}

		const done = await waitFor('the trigger to hear of the end', async () => {
			const executions = await sandbox.api.listExecutions({ workflowId: workflow.id });
			const all = await Promise.all(executions.map(({ id }) => sandbox.api.getExecution(id)));
			return all.flatMap((execution) => outputOf(execution, 'Use the Article'))[0];
		});
		expect(done.json.article).toContain('I approve it');
		// One for the kickoff, one for each question and one for the end: each came once.
		const executions = await sandbox.api.listExecutions({ workflowId: workflow.id });
		expect(executions).toHaveLength(4);
		expect(await sandbox.crew.executions()).toHaveLength(before + 1);
	});
});
