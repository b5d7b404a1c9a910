import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { startCrewServer, type CrewServer } from '../../../crew-server/src';
import type { CrewServerOptions } from '../../../crew-server/src/options';
import { launchChromium, openPage } from '../../e2e/support/chromium';
import { buildPage } from './builtPage';
import { Client } from './client';

/** A crew server with its page in a browser; both are new for each test. */
export class PageDriver {
	browser!: Browser;
	page!: Page;
	crew!: CrewServer;
	client!: Client;
	/** The browser's complaints, and its requests to other servers. */
	readonly troubles: string[] = [];

	constructor() {
		beforeAll(async () => {
			buildPage();
			this.browser = await launchChromium();
		});
		afterAll(() => this.browser.close());
		beforeEach(async () => {
			await this.deploy({ crew: 'reviewed-article' });
			await this.openWindow({ viewport: { width: 1280, height: 800 } });
		});
		afterEach(async () => {
			await this.page.close();
			await this.crew.close();
		});
	}

	/** Replaces the crew server. */
	async deploy(options: CrewServerOptions): Promise<void> {
		// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- There is none before the first.
		await this.crew?.close();
		this.crew = await startCrewServer(options);
		this.client = new Client(this.crew);
	}

	/** Replaces the window. */
	async openWindow(options: BrowserContextOptions): Promise<void> {
		// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- There is none before the first.
		await this.page?.close();
		this.page = await openPage(this.browser, options);
		this.watch();
	}

	/** Opens a view of the page, signed in. */
	async open(hash = '#/executions', token = this.crew.accessToken): Promise<void> {
		await this.page.goto(`${this.crew.url}/#token=${token}`);
		await this.page.getByText('Live', { exact: true }).waitFor();
		await this.show(hash);
	}

	/** Goes to a view. */
	async show(hash: string): Promise<void> {
		await this.page.evaluate(`location.hash = '${hash}'`);
	}

	/** Waits until a text is seen. */
	async shows(text: string | RegExp): Promise<void> {
		await this.page.getByText(text).first().waitFor();
	}

	/** Presses a button. */
	async press(name: string): Promise<void> {
		await this.page.getByRole('button', { name, exact: true }).click();
	}

	/** Starts an execution, which asks a person. */
	async ask(body: Record<string, unknown> = {}): Promise<string> {
		const id = await this.client.kickoff(body);
		await this.client.untilStatus(id, 'pending_human_input');
		return id;
	}

	/** Runs an execution to its end. */
	async complete(body: Record<string, unknown> = {}): Promise<string> {
		const id = await this.ask(body);
		await this.client.resume(id);
		await this.client.untilStatus(id, 'completed');
		return id;
	}

	private watch(): void {
		this.troubles.length = 0;
		this.page.on('pageerror', (error) => this.troubles.push(error.message));
		this.page.on('console', (message) => {
			// The page itself shows a refused request.
			const isRefusal = message.text().startsWith('Failed to load resource');
			if (message.type() === 'error' && !isRefusal) this.troubles.push(message.text());
		});
		this.page.on('request', (request) => {
			const isOwn = /^(blob:)?http:\/\/127\.0\.0\.1:/.test(request.url());
			if (!isOwn) this.troubles.push(request.url());
		});
	}
}
