import type { Locator, Page } from 'playwright-core';
import { NodePanel } from './nodePanel';
import { areaOf, type Area } from './area';

/** Pixels of its height that a picture shows. */
const HEIGHT = 300;

/** n8n's panel in which a user looks for a node. */
export class NodeCreator {
	private readonly root: Locator;

	private constructor(private readonly page: Page) {
		this.root = page.getByTestId('node-creator');
	}

	static async opened(page: Page): Promise<NodeCreator> {
		const creator = new NodeCreator(page);
		await creator.root.waitFor();
		return creator;
	}

	/** Where it is, without the empty part below. */
	async area(): Promise<Area> {
		return { ...(await areaOf(this.root)), height: HEIGHT };
	}

	/** Empties the search field, and waits until the named node is gone. */
	async clearSearch(name: string): Promise<void> {
		await this.root.getByTestId('node-creator-search-bar').fill('');
		await this.item(name).waitFor({ state: 'detached' });
	}

	/** Types into the search field, and returns the node with this name in the results. */
	async search(words: string, name: string): Promise<Locator> {
		await this.root.getByTestId('node-creator-search-bar').fill(words);
		const item = this.item(name);
		await item.waitFor();
		return item;
	}

	/** Opens one of the groups of nodes. */
	async openGroup(name: string): Promise<void> {
		await this.root.getByText(name, { exact: true }).click();
	}

	/** A node in the list, by its name. */
	item(name: string): Locator {
		const title = this.page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
		return this.root.locator('[data-keyboard-nav-type="node"]').filter({ has: title });
	}

	/** Opens the list of what a node can do. */
	async openDetails(item: Locator): Promise<void> {
		await item.click();
		await this.root.getByText('Node details').waitFor();
	}

	/** The entries of one list of the node's details: what it can do, or what starts a workflow. */
	async entriesOf(list: Details): Promise<string[]> {
		return await (await this.unfold(list)).allInnerTexts();
	}

	/** Adds the node with this entry chosen; its panel opens by itself. */
	async choose(list: Details, entry: string): Promise<NodePanel> {
		await (await this.unfold(list)).filter({ hasText: entry }).click();
		return await NodePanel.opened(this.page);
	}

	private async unfold(list: Details): Promise<Locator> {
		const part = this.root.locator('[data-category-collapsed]', { hasText: `${list} (` });
		if ((await part.getAttribute('data-category-collapsed')) === 'true') {
			await part.getByTestId('node-creator-category-item').click();
		}
		const entries = part.locator('[data-keyboard-nav-type="action"]');
		await entries.first().waitFor();
		return entries;
	}
}

/** The two lists of what a node with a trigger can do. */
type Details = 'Actions' | 'Triggers';
