import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { selectors, type Browser, type Locator, type Page } from 'playwright-core';
import type { Login } from '../../../sandbox/src/n8n-session';
import { sandboxFolder } from '../../../sandbox/src/paths';

/** Where screenshots go that show what a test saw. */
export const screenshotFolder = join(sandboxFolder, 'screenshots');

/** Around the nodes in a picture, in pixels; below them stand their names. */
const MARGIN = 16;
const MARGIN_BELOW = 64;

selectors.setTestIdAttribute('data-test-id');

/** n8n's editor in a browser, in a user's words: sign in, open a workflow, open a node, run it, read the result. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Opens a window of its own on n8n and signs in through n8n's form. */
	static async open(browser: Browser, url: string, login: Login): Promise<Editor> {
		const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
		await page.goto(`${url}/signin`);
		await page.locator('input[name="emailOrLdapLoginId"]').fill(login.email);
		await page.locator('input[name="password"]').fill(login.password);
		await page.getByTestId('form-submit-button').click();
		await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
		return new Editor(page, url);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Opens the view of an execution that has ended. */
	async openExecution(workflowId: string, executionId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}/executions/${executionId}`);
		await this.page.getByTestId('canvas-node-status-success').first().waitFor();
	}

	/** The part of the window in which the workflow's nodes and notes stand, for a picture of it. */
	async canvasArea(): Promise<{ x: number; y: number; width: number; height: number }> {
		const parts = this.page.locator('[data-test-id="canvas-node"], [data-test-id="sticky"]');
		const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()));
		const known = boxes.filter((box) => box !== null);
		const x = Math.min(...known.map((box) => box.x)) - MARGIN;
		const y = Math.min(...known.map((box) => box.y)) - MARGIN;
		const right = Math.max(...known.map((box) => box.x + box.width)) + MARGIN;
		const bottom = Math.max(...known.map((box) => box.y + box.height)) + MARGIN_BELOW;
		return { x, y, width: right - x, height: bottom - y };
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Opens the panel of a node by a double click. */
	async openNode(name: string): Promise<Locator> {
		await this.node(name).dblclick();
		const panel = this.page.getByTestId('ndv');
		await panel.waitFor();
		return panel;
	}

	async closeNode(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.page.getByTestId('ndv').waitFor({ state: 'hidden' });
	}

	/** The field of a parameter, in the panel of a node or of a credential. */
	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`).locator('input, textarea').first();
	}

	/** Runs the open workflow by its button, until each of these nodes carries the mark of success. */
	async execute(...nodes: string[]): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').click();
		for (const name of nodes) {
			await this.node(name).getByTestId('canvas-node-status-success').waitFor();
		}
	}

	/** What the open node gave, as the editor shows it. */
	output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	/** Opens the credential of the open node. */
	async openCredential(): Promise<void> {
		await this.page.getByTestId('credential-edit-button').click();
		await this.credentialDialog().waitFor();
	}

	/**
	 * Enters values into the open credential, saves it, and waits until the editor shows what came of its test.
	 *
	 * @param expected what is to be read then
	 */
	async saveCredential(values: Record<string, string>, expected: string): Promise<void> {
		for (const [name, value] of Object.entries(values)) await this.parameter(name).fill(value);
		await this.page.getByTestId('credential-save-button').click();
		const dialog = this.credentialDialog();
		const message = dialog.getByText(expected).filter({ visible: true });
		const details = dialog.getByText('More details').filter({ visible: true });
		await message.or(details).first().waitFor();
		// After the first test that did not succeed, the editor goes on to show the details by itself.
		if (await details.isVisible()) await details.click();
		await message.waitFor();
	}

	private credentialDialog(): Locator {
		return this.page.getByTestId('editCredential-modal');
	}

	/** Saves what is to be seen now as `.sandbox/screenshots/<name>.png`. */
	async screenshot(name: string): Promise<string> {
		await mkdir(screenshotFolder, { recursive: true });
		const path = join(screenshotFolder, `${name}.png`);
		await this.page.screenshot({ path, animations: 'disabled' });
		return path;
	}

	async close(): Promise<void> {
		await this.page.close();
	}
}
