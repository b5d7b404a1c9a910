import type { Browser, Page } from 'playwright-core';

import type { StoredWorkflow } from '../../../sandbox/src/n8n-types';
import { openPage } from './chromium';

/** A person in front of the forms of examples/approve-on-one-canvas.json. */
export class Person {
	private constructor(readonly page: Page) {}

	/** Opens the form that starts the workflow, and starts the crew with a topic. */
	static async whoAsksFor(
		topic: string,
		browser: Browser,
		url: string,
		{ nodes }: StoredWorkflow,
	): Promise<Person> {
		const { webhookId } = nodes.find(({ name }) => name === 'Ask for a Topic')!;
		const page = await openPage(browser, { viewport: { width: 900, height: 800 } });
		await page.goto(`${url}/form/${webhookId ?? ''}`);
		await page.getByLabel('Topic').fill(topic);
		await page.getByRole('button', { name: 'Submit' }).click();
		return new Person(page);
	}

	/** Waits until the page shows these words. */
	async reads(words: string): Promise<void> {
		await this.page.getByText(words).first().waitFor();
	}

	/** Waits for the page that shows these words, and answers it. */
	async review(words: string, decision: 'Approve' | 'Reject', feedback = ''): Promise<void> {
		await this.reads(words);
		await this.page.getByLabel('Decision').selectOption(decision);
		await this.page.getByLabel('Feedback').fill(feedback);
		await this.page.getByRole('button', { name: 'Answer the crew' }).click();
	}
}
