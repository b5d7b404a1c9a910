import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startCrewServer, type CrewDefinition } from '../../../crew-server/src';
import { credentialFor, storeExampleCredentials } from '../../../sandbox/src/crew-credential';
import type { StoredCredential } from '../../../sandbox/src/n8n-types';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { outputOf } from '../../../sandbox/src/run-data';
import { Teardown } from '../../../sandbox/src/teardown';
import { waitFor } from '../../../sandbox/src/wait-for';
import { CredentialDialog } from '../support/credentialDialog';
import { NodePanel } from '../support/nodePanel';
import { redTexts } from '../support/redTexts';
import { startUserSession, type UserSession } from '../support/userSession';

const NOT_LOADED = 'No inputs loaded yet. Choose or correct the credential, then Retry';
const TUTORIAL = readFileSync(join(repositoryFolder, 'docs', 'first-workflow.md'), 'utf8');

/** A crew of one task, with one required input or none. */
function crewWith(...inputs: string[]): CrewDefinition {
	return {
		name: inputs.join() || 'nothing',
		inputs: inputs.map((name) => ({ name, type: 'string', required: true })),
		tasks: [
			{
				name: 'look',
				description: 'Look',
				expectedOutput: 'A line',
				agent: 'Reader',
				output: 'Done',
			},
		],
	};
}

describe('a user with a new workflow', () => {
	const teardown = new Teardown();
	let session: UserSession;

	beforeAll(async () => {
		session = await startUserSession(teardown);
	});

	afterAll(() => teardown.run());

	beforeEach(async () => {
		const { api } = session;
		for (const credential of await api.listCredentials()) await api.deleteCredential(credential);
	});

	/** Stores a credential for a separate crew server. */
	async function credentialOf(crew: CrewDefinition): Promise<StoredCredential> {
		const server = await startCrewServer({ crew });
		teardown.add(() => server.close());
		return await session.api.createCredential(
			`Crew ${crew.name}`,
			'crewApi',
			credentialFor(server),
		);
	}

	async function addKickoff(): Promise<NodePanel> {
		const { editor } = session;
		await editor.openEmptyWorkflow();
		const creator = await editor.openNodeCreator();
		await creator.openDetails(await creator.search('crew', 'Crew'));
		return await creator.choose('Actions', 'Kick off crew');
	}

	/** Follows the tutorial: clicks only what it names in bold. */
	class Reader {
		clicks = 0;

		constructor(readonly page: Page) {}

		async click(name: string, target = this.page.getByText(name, { exact: true })) {
			expect(TUTORIAL).toContain(`**${name}**`);
			await target.filter({ visible: true }).first().click();
			this.clicks += 1;
		}

		workflowId(): string {
			return /workflow\/(\w+)/.exec(this.page.url())?.[1] ?? '';
		}

		/** Step 1. */
		async makeCredential() {
			const { page } = this;
			await this.click('+', page.getByTestId('universal-add'));
			await this.click('New credential');
			const search = page.getByTestId('new-credential-type-select');
			await search.waitFor();
			await page.keyboard.type('crew');
			await page.getByRole('option', { name: 'Crew API' }).waitFor();
			await page.keyboard.press('Enter');
			await this.click('Continue');
			const dialog = await CredentialDialog.opened(page);
			const { url, accessToken } = session.crew;
			await dialog.enter({ baseUrl: url, accessToken });
			await this.click('Save', dialog.root.getByTestId('credential-save-button'));
			await dialog.success();
			await page.keyboard.press('Escape');
			await dialog.closed();
		}

		/** Step 2. */
		async addCrew() {
			const { page } = this;
			await this.click('+', page.getByTestId('universal-add'));
			await this.click('New workflow');
			await this.click('Add first step…', page.getByTestId('canvas-plus-button'));
			const creator = page.getByTestId('node-creator');
			await creator.getByTestId('node-creator-search-bar').waitFor();
			await page.keyboard.type('crew');
			await creator.getByText('Run crews of AI agents').first().waitFor();
			await page.keyboard.press('Enter');
			await this.click('Actions', creator.getByText('Actions ('));
			await this.click('Kick off crew');
			return await NodePanel.opened(page);
		}

		/** Steps 3 to 5. */
		async runCrew(panel: NodePanel, credential: string) {
			await panel.showsCredential(credential);
			await panel.field('year').waitFor();
			expect(await redTexts(panel.root)).toEqual([]);
			await panel.field('topic').fill('electric bicycles');
			await this.click('Execute step', panel.root.getByTestId('node-execute-button'));
			await panel.output().getByText('completed', { exact: true }).waitFor();
			expect(await redTexts(panel.root)).toEqual([]);
		}

		/** Step 6. */
		async checkEnd(panel: NodePanel) {
			const { editor } = session;
			const { page } = this;
			await panel.close();
			await this.click('+', editor.node('Crew').getByTestId('canvas-handle-plus'));
			await page.getByTestId('node-creator-search-bar').waitFor();
			await page.keyboard.type('if');
			await page.getByText('Route items to different branches').first().waitFor();
			await page.keyboard.press('Enter');
			const ifPanel = await NodePanel.opened(page);
			expect(TUTORIAL).toContain('Drag **status** from the left to **value1**');
			const value1 = ifPanel.root.getByPlaceholder('value1');
			await ifPanel.root.getByText('status', { exact: true }).first().dragTo(value1);
			await ifPanel.root.getByText('$json.status').waitFor();
			await ifPanel.root.getByPlaceholder('value2').fill('completed');
			// n8n saves typed text a moment later, and loses it if the panel is closed before that.
			await waitFor('n8n to save the condition', async () => {
				const { nodes } = await session.api.getWorkflow(this.workflowId());
				return JSON.stringify(nodes).includes('"rightValue":"completed"');
			});
			await ifPanel.close();
			await this.click('Execute workflow', page.getByTestId('execute-workflow-button'));
			await editor.untilSuccess('Crew', 'If');
		}
	}

	test('gets from nothing to a result with the tutorial: 10 clicks, and nothing in red', async () => {
		const reader = new Reader(session.editor.page);
		await reader.page.goto(session.url);
		await reader.makeCredential();
		await reader.runCrew(await reader.addCrew(), 'Crew account');
		expect(reader.clicks).toBeLessThanOrEqual(10);
	});

	test('gets from `npm start` to a result with the rest of the tutorial', async () => {
		const asking = await startCrewServer({ crew: 'reviewed-article' });
		teardown.add(() => asking.close());
		const crews = { research: session.crew, reviewedArticle: asking };
		const { research } = await storeExampleCredentials(session.api, crews);
		expect(TUTORIAL).toContain(`the credential **${research.name}** already exists`);
		const reader = new Reader(session.editor.page);
		await reader.page.goto(session.url);
		const panel = await reader.addCrew();
		await reader.runCrew(panel, research.name);
		await reader.checkEnd(panel);
		const workflowId = reader.workflowId();
		const [newest] = await session.api.listExecutions({ workflowId });
		const execution = await session.api.getExecution(newest!.id);
		// On the "true" branch.
		expect(outputOf(execution, 'If')).toHaveLength(1);
	});

	test('without a credential reads what to do, and then has the fields', async () => {
		const panel = await addKickoff();
		await panel.noInputs().waitFor();
		// Proves that red texts are really found.
		expect((await redTexts(panel.root)).join(' ')).toContain('No inputs loaded yet');
		expect(await panel.noInputs().innerText()).toContain(NOT_LOADED);
		const dialog = await panel.connect();
		await dialog.enter({ baseUrl: session.crew.url, accessToken: session.crew.accessToken });
		await dialog.save();
		await dialog.closed();
		await panel.retryInputs();
		await panel.field('topic').waitFor();
		expect(await redTexts(panel.root)).toEqual([]);
	});

	test('with two credentials reads that the fields are another crew’s, and gets the right ones', async () => {
		const { name } = await credentialOf(crewWith('company'));
		await session.api.createCredential('Newest', 'crewApi', credentialFor(session.crew));
		const panel = await addKickoff();
		// n8n chooses the newest credential, and asks its crew.
		await panel.showsCredential('Newest');
		await panel.field('topic').fill('bees');
		await panel.chooseCredential(name);
		await panel.executeStep();
		const { message, advice } = await panel.refusal();
		expect(message).toBe('The fields are not those of this crew, which requires company');
		expect(advice).toContain('Click ⋮ beside Inputs and choose Refresh Input List.');
		await session.editor.closeNotices();
		await panel.refreshInputs();
		await panel.field('company').fill('Acme');
		await panel.hidesField('topic');
		await panel.executeStep();
		await panel.output().getByText('completed', { exact: true }).waitFor();
	});

	test('with a wrong token corrects it, and has the fields after Retry', async () => {
		const { api, crew } = session;
		const wrong = { ...credentialFor(crew), accessToken: 'not-the-token' };
		await api.createCredential('Crew account', 'crewApi', wrong);
		const panel = await addKickoff();
		await panel.noInputs().waitFor();
		expect(await panel.noInputs().innerText()).toContain(NOT_LOADED);
		const dialog = await panel.editCredential();
		await dialog.enter({ accessToken: crew.accessToken });
		await dialog.save();
		await dialog.success();
		await dialog.close();
		await panel.retryInputs();
		await panel.field('topic').waitFor();
		expect(await redTexts(panel.root)).toEqual([]);
	});

	test('sees nothing in red if the crew expects no inputs, and runs it', async () => {
		const { name } = await credentialOf(crewWith());
		const panel = await addKickoff();
		await panel.showsCredential(name);
		await panel.root.getByText('Currently no items exist').waitFor();
		expect(await redTexts(panel.root)).toEqual([]);
		await panel.executeStep();
		await panel.output().getByText('completed', { exact: true }).waitFor();
	});
});
