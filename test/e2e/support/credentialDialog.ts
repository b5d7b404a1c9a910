import type { Locator, Page } from 'playwright-core';

import { areaOf, type Area } from './area';

/** The dialog in which a credential is entered and tested. */
export class CredentialDialog {
	readonly root: Locator;

	private constructor(page: Page) {
		this.root = page.getByTestId('editCredential-modal');
	}

	static async opened(page: Page): Promise<CredentialDialog> {
		const dialog = new CredentialDialog(page);
		await dialog.root.waitFor();
		return dialog;
	}

	/** Where it is on the window. */
	async area(): Promise<Area> {
		return await areaOf(this.root);
	}

	/** Enters values by the names of their fields. */
	async enter(values: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(values)) {
			await this.root.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
		}
	}

	/** Saves the credential, which tests it. */
	async save(): Promise<void> {
		await this.root.getByTestId('credential-save-button').click();
	}

	/**
	 * Waits until the dialog says that the test failed, and returns everything that it says about that.
	 *
	 * @param reason what it must say, if it may still show an earlier reason
	 */
	async refusal(reason = ''): Promise<string> {
		const banner = this.root.locator('.el-tag', {
			hasText: 'Couldn’t connect with these settings',
		});
		const details = banner.getByText('More details');
		await details.or(banner.getByText(reason)).first().waitFor();
		// The first time, it shows the details only on request.
		if (await details.isVisible()) await details.click();
		await details.waitFor({ state: 'hidden' });
		await banner.getByText(reason).first().waitFor();
		return await banner.innerText();
	}

	/** Waits until the dialog says that the test succeeded. */
	async success(): Promise<void> {
		await this.root.getByText('Connection tested successfully').waitFor();
	}

	/** Waits until the dialog has closed by itself, as it does when a saved credential passes its test. */
	async closed(): Promise<void> {
		await this.root.waitFor({ state: 'hidden' });
	}

	async close(): Promise<void> {
		await this.root.getByRole('button', { name: /close/i }).click();
		await this.closed();
	}
}
