import { join } from 'node:path';
import { selectors, type Browser, type Locator, type Page } from 'playwright-core';
import type { N8nSession } from '../../../sandbox/src/n8n-session';
import { sandboxFolder } from '../../../sandbox/src/paths';
import { waitFor } from '../../../sandbox/src/wait-for';
import { openPage } from './chromium';
import { NodeCreator } from './nodeCreator';
import { NodePanel } from './nodePanel';

/** The folder for screenshots of what a test saw. */
export const screenshotFolder = join(sandboxFolder, 'screenshots');

/** The margin around the nodes in a picture, in pixels; there is a plus sign to the right, and names below. */
const MARGIN = 16;
const MARGIN_RIGHT = 48;
const MARGIN_BELOW = 64;

selectors.setTestIdAttribute('data-test-id');

/** n8n's editor in a browser, in a user's words: open a workflow, open a node, run it, read the result. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Opens a window of its own on n8n, signed in. */
	static async open(browser: Browser, { url, cookie }: N8nSession): Promise<Editor> {
		const page = await openPage(browser, { viewport: { width: 1400, height: 900 } });
		const [name = '', value = ''] = cookie.split(/=(.*)/);
		await page.context().addCookies([{ name, value, url }]);
		return new Editor(page, url);
	}

	/** Opens a workflow without any node. */
	async openEmptyWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.getByTestId('canvas-plus-button').waitFor();
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

	/** Chooses how the editor looks, in the settings of the person who is signed in. */
	async chooseTheme(name: 'System default' | 'Light theme' | 'Dark theme'): Promise<void> {
		await this.page.goto(`${this.url}/settings/personal`);
		await this.page.getByTestId('theme-select').click();
		await this.page.getByRole('option', { name }).click();
		const save = this.page.getByTestId('save-settings-button');
		await save.click();
		await this.page.getByText('Personal details updated').waitFor();
	}

	/** The part of the window that has the workflow's nodes, notes and connections, for a picture of it. */
	async canvasArea(): Promise<{ x: number; y: number; width: number; height: number }> {
		const parts = this.page.locator(
			'[data-test-id="canvas-node"], [data-test-id="sticky"], .vue-flow__edge-path',
		);
		const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()));
		const known = boxes.filter((box) => box !== null);
		const x = Math.min(...known.map((box) => box.x)) - MARGIN;
		const y = Math.min(...known.map((box) => box.y)) - MARGIN;
		const right = Math.max(...known.map((box) => box.x + box.width)) + MARGIN_RIGHT;
		const bottom = Math.max(...known.map((box) => box.y + box.height)) + MARGIN_BELOW;
		return { x, y, width: right - x, height: bottom - y };
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Opens n8n's panel of nodes: for the first node of a workflow, or for one after the named node. */
	async openNodeCreator(behind?: string): Promise<NodeCreator> {
		const plus =
			behind === undefined
				? this.page.getByTestId('canvas-plus-button')
				: this.node(behind).getByTestId('canvas-handle-plus');
		await plus.click();
		return await NodeCreator.opened(this.page);
	}

	/** Opens the panel of a node by a double click. */
	async openNode(name: string): Promise<NodePanel> {
		await this.node(name).dblclick();
		return await NodePanel.opened(this.page);
	}

	/** Waits until each of these nodes carries the mark of success. */
	async untilSuccess(...nodes: string[]): Promise<void> {
		for (const name of nodes) {
			await this.node(name).getByTestId('canvas-node-status-success').waitFor();
		}
	}

	/** Waits until the node is drawn as one that waits. */
	async untilWaiting(name: string): Promise<void> {
		await this.node(name).locator('[data-test-id="canvas-default-node"].waiting').waitFor();
	}

	/** The messages that come up in the corner of the window. */
	notices(): Locator {
		return this.page.locator('.el-notification').filter({ visible: true });
	}

	/** Closes the messages in the corner, which hide what is below them. */
	async closeNotices(): Promise<void> {
		await waitFor('the messages to go', async () => {
			const buttons = await this.notices().locator('.el-notification__closeBtn').elementHandles();
			await Promise.all(buttons.map((button) => button.dispatchEvent('click')));
			return (await this.notices().count()) === 0;
		});
	}
}
