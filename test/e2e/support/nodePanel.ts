import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../../sandbox/src/wait-for';
import { CredentialDialog } from './credentialDialog';
import { areaOf, type Area } from './area';

/** The panel of an open node: its input, its parameters, its output. */
export class NodePanel {
	readonly root: Locator;

	private constructor(private readonly page: Page) {
		this.root = page.getByTestId('ndv');
	}

	static async opened(page: Page): Promise<NodePanel> {
		const panel = new NodePanel(page);
		await panel.root.waitFor();
		return panel;
	}

	async close(): Promise<void> {
		await this.root.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}

	/** The input of a parameter's field. */
	field(name: string): Locator {
		return this.part(name).locator('input, textarea').first();
	}

	/** Waits until exactly these parameters are visible, in this order: n8n redraws the panel with a delay. */
	async showsFields(...names: string[]): Promise<void> {
		const fields = this.root
			.locator('[data-test-id^="parameter-input-"]')
			.filter({ visible: true });
		await becomes('the fields of the panel', names, async () => await namesOf(fields));
	}

	/** Waits until a parameter is visible. */
	async showsField(name: string): Promise<void> {
		await this.part(name).waitFor();
	}

	/** Waits until a parameter is no longer visible. */
	async hidesField(name: string): Promise<void> {
		await this.part(name).waitFor({ state: 'hidden' });
	}

	/** Waits for the mark of a missing value, and returns the names of all parameters that have it. */
	async issues(): Promise<string[]> {
		const marks = this.root.getByTestId('parameter-issues');
		await marks.first().waitFor();
		const rows = marks.locator('xpath=ancestor::*[contains(@class, "parameter-item")][1]');
		return await namesOf(rows.locator('[data-test-id^="parameter-input-"]'));
	}

	/** Chooses one entry of a parameter's list. */
	async choose(name: string, entry: string): Promise<void> {
		await this.part(name).click();
		await this.entry(entry).click();
		await this.entry(entry).waitFor({ state: 'hidden' });
	}

	/** Adds an entry to a field that takes several. */
	async tick(name: string, entry: string): Promise<void> {
		await this.part(name).click();
		await this.entry(entry).click();
		await this.root.getByTestId('tab-params').click();
		await this.entry(entry).waitFor({ state: 'hidden' });
	}

	/** Turns a switch to its other side. */
	async toggle(name: string): Promise<void> {
		await this.part(name).locator('.el-switch').click();
	}

	/** Waits until the list "Add option" has exactly these entries. */
	async offersOptions(...names: string[]): Promise<void> {
		await becomes('the options on offer', names, async () => await this.optionNames());
	}

	private async optionNames(): Promise<string[]> {
		const entries = await this.unfoldOptions();
		const names = await entries.allInnerTexts();
		await this.root.getByTestId('tab-params').click();
		await entries.first().waitFor({ state: 'hidden' });
		return names.map((name) => name.trim());
	}

	/** Adds one of the options. */
	async addOption(name: string): Promise<void> {
		const entries = await this.unfoldOptions();
		await entries.filter({ hasText: name }).click();
	}

	private async unfoldOptions(): Promise<Locator> {
		const add = this.root.getByTestId('collection-parameter-add').filter({ visible: true });
		const entries = this.page.getByTestId('collection-parameter-option').filter({ visible: true });
		// The list closes again if n8n redraws the panel meanwhile.
		await waitFor('the list of options', async () => {
			await add.click();
			return await entries
				.first()
				.waitFor({ timeout: 2_000 })
				.then(
					() => true,
					() => false,
				);
		});
		return entries;
	}

	/** Adds the one input that the resource mapper offers and does not show. */
	async addInput(): Promise<void> {
		await this.root.getByTestId('add-fields-select').getByRole('button').click();
	}

	/** Runs the node. */
	async executeStep(): Promise<void> {
		await this.root.getByTestId('node-execute-button').click();
	}

	/** Where the parameters and the output are, down to this many pixels. */
	async area(height: number): Promise<Area> {
		const { x } = await areaOf(this.root.getByTestId('tab-params'));
		const output = await areaOf(this.output());
		return { ...output, x, width: output.x + output.width - x, height };
	}

	/** The area of the parameters, without their lower part. */
	async areaOfParameters(height: number): Promise<Area> {
		const { x } = await areaOf(this.root.getByTestId('tab-params'));
		const output = await areaOf(this.output());
		return { x, y: output.y, width: output.x - x, height };
	}

	/** The node's output, as the editor shows it. */
	output(): Locator {
		return this.root.getByTestId('output-panel');
	}

	/** Shows the fields of the items that came out below one another, so that none is beyond the edge. */
	async showSchema(): Promise<void> {
		await this.output().getByText('Schema', { exact: true }).click();
		await this.output().locator('th').first().waitFor({ state: 'hidden' });
	}

	/** The fields of the items that came out, as the columns of their table. */
	async columns(): Promise<string[]> {
		const names = await this.output().locator('th').allInnerTexts();
		return names.map((name) => name.trim()).filter((name) => name !== '');
	}

	/** What happened, if the node did not succeed. */
	message(): Locator {
		return this.output().getByTestId('node-error-message');
	}

	/** What to do then. */
	advice(): Locator {
		return this.output().getByTestId('node-error-description');
	}

	/** Waits until the output says that the node failed, and returns what it says. */
	async refusal(): Promise<{ message: string; advice: string }> {
		await this.message().waitFor();
		return { message: await this.message().innerText(), advice: await this.advice().innerText() };
	}

	/** Waits until a field has exactly this value. */
	async showsValue(name: string, value: string): Promise<void> {
		await becomes(name, [value], async () => [await this.field(name).inputValue()]);
	}

	/** Waits until exactly these values are chosen in a field that takes several. */
	async showsTags(name: string, ...values: string[]): Promise<void> {
		await becomes(
			name,
			values,
			async () => await this.part(name).locator('.el-tag').allInnerTexts(),
		);
	}

	/** Waits until the credential of this name is chosen. */
	async showsCredential(name: string): Promise<void> {
		const chosen = this.root.getByTestId('node-credentials-select').locator('input');
		await becomes('the credential', [name], async () => [await chosen.inputValue()]);
	}

	/** Unfolds the trigger's URLs, and returns the one that listens for a test event. */
	async testUrl(): Promise<string> {
		await this.root.getByText('Webhook URLs').click();
		const url = this.root.getByText(/\/webhook-test\//);
		await url.waitFor();
		return (await url.innerText()).trim();
	}

	/** Unfolds what n8n says about when the trigger starts the workflow. */
	async explainTrigger(): Promise<void> {
		await this.root.getByText('When will this node trigger my flow?').click();
	}

	/** Chooses another credential. */
	async chooseCredential(name: string): Promise<void> {
		await this.root.getByTestId('node-credentials-select').click();
		await this.entryBeginning(name).click();
		await this.showsCredential(name);
	}

	/** Opens the dialog for the first credential, if n8n has none. */
	async connect(): Promise<CredentialDialog> {
		await this.root.getByText('Connect to Crew').click();
		return await CredentialDialog.opened(this.page);
	}

	/** What is said in place of the crew's inputs, with the link that asks for them again. */
	noInputs(): Locator {
		const texts = this.root.getByTestId('mapping-mode-select').locator('.n8n-text');
		return texts.filter({ hasText: 'Retry' }).first();
	}

	/** Asks for the crew's inputs again, if there are none. */
	async retryInputs(): Promise<void> {
		await this.noInputs().getByText('Retry', { exact: true }).click();
	}

	/** Asks for the crew's inputs again, if there are some. */
	async refreshInputs(): Promise<void> {
		const fields = this.root.getByTestId('mapping-fields-container');
		await fields.getByTestId('action-toggle').first().click();
		await this.page.getByTestId('action-refreshFieldList').filter({ visible: true }).click();
	}

	/** Opens the dialog for a new credential. */
	async createCredential(): Promise<CredentialDialog> {
		await this.root.getByTestId('node-credentials-select').click();
		await this.page.getByTestId('node-credentials-select-item-new').click();
		return await CredentialDialog.opened(this.page);
	}

	/** Opens the credential that is chosen, which tests it again. */
	async editCredential(): Promise<CredentialDialog> {
		await this.root.getByTestId('credential-edit-button').click();
		return await CredentialDialog.opened(this.page);
	}

	private part(name: string): Locator {
		return this.root.getByTestId(`parameter-input-${name}`);
	}

	private entryBeginning(name: string): Locator {
		return this.page
			.getByRole('option')
			.filter({ visible: true })
			.filter({ hasText: new RegExp(`^\\s*${name}`) });
	}

	private entry(name: string): Locator {
		return this.page
			.getByRole('option')
			.filter({ visible: true })
			.filter({ has: this.page.getByText(name, { exact: true }) });
	}
}

/** Test IDs of n8n that begin like a parameter's, but belong to parts of one. */
const PARTS_OF_FIELDS = ['field', 'hint', 'item'];

/** Reads all at once, since n8n may remove fields in between. */
async function namesOf(fields: Locator): Promise<string[]> {
	const ids = await fields.evaluateAll((elements: Array<{ dataset: { testId: string } }>) =>
		elements.map(({ dataset }) => dataset.testId),
	);
	const names = ids.map((id) => id.replace('parameter-input-', ''));
	return names.filter((name) => !PARTS_OF_FIELDS.includes(name));
}

async function becomes(
	what: string,
	names: string[],
	look: () => Promise<string[]>,
): Promise<void> {
	let seen: string[] = [];
	await waitFor(
		`${what}: ${names.join(', ')}`,
		async () => {
			seen = await look();
			return seen.join() === names.join();
		},
		{ timeout: 30_000, describe: () => `There are: ${seen.join(', ')}` },
	);
}
