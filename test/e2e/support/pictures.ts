import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { areaOf, type Area } from './area';
import { screenshotFolder } from './editor';
import { crewIcons, expectIcon, type Theme } from './icon';

/** Something that can be photographed: a page, or one element of it. */
interface Photographed {
	screenshot(options: {
		path: string;
		animations: 'disabled';
		clip?: Area;
		style?: string;
	}): Promise<unknown>;
}

/** What a picture of the editor must show. */
interface Expected {
	/** The part with the node's icon. */
	icon: Locator;
	/** Texts that must be readable without scrolling, with nothing in front of them. */
	readable: Locator[];
	/** The part of the window that the picture shows (default: all of it). */
	area?: Area;
}

/** Hides what lies on the canvas or next to a panel, and tooltips, in a picture of a part of the window. */
const WITHOUT_EXTRAS = `
	[data-test-id="canvas-controls"],
	[data-test-id="floating-nodes"],
	[data-test-id="panel-drag-button"],
	[data-reka-popper-content-wrapper],
	.el-popper,
	button:not(.vue-flow__viewport *, [data-test-id="ndv"] *, [data-test-id="editCredential-modal"] *),
	:has([data-test-id="execute-workflow-button"], [data-test-id="radio-button-workflow"]):not(
		:has(.vue-flow__viewport)
	) {
		visibility: hidden;
	}`;

const THEMES: readonly Theme[] = ['light', 'dark'];

/**
 * Takes a picture of a part of the canvas in each theme, `<name>.png` and `<name>.dark.png`, once our nodes' icons are
 * those of the theme.
 */
export async function takeCanvasPictures(page: Page, name: string, area: Area): Promise<void> {
	const icons = crewIcons(page.locator('body'));
	await inEachTheme(page, name, async (nameInTheme, theme) => {
		if ((await icons.count()) > 0) await expectIcon(icons.first(), theme);
		await takePicture(page, nameInTheme, area);
	});
}

/** Whether this run writes the pictures of the documentation. */
const isForDocs = process.env.npm_lifecycle_event === 'pictures';

/** The port that a picture shows, as in the documentation; in other runs, any free port. */
export function shownPort(usual: number): number | undefined {
	return isForDocs ? usual : undefined;
}

/**
 * Takes a picture that the documentation shows. Only `npm run pictures` writes it there; the tests
 * leave it with their other screenshots.
 */
export async function takePicture(subject: Photographed, name: string, clip?: Area): Promise<void> {
	const folder = isForDocs ? join(repositoryFolder, 'docs', 'pictures') : screenshotFolder;
	await mkdir(folder, { recursive: true });
	const path = join(folder, `${name}.png`);
	const style = clip ? WITHOUT_EXTRAS : undefined;
	await subject.screenshot({ path, animations: 'disabled', clip, style });
}

/**
 * Takes a picture of the editor in each theme, `<name>.png` and `<name>.dark.png`, after checking that
 * a user can see its icon and its words. The editor follows the browser's theme, as it does if nobody
 * has chosen one.
 */
export async function takePictures(page: Page, name: string, expected: Expected): Promise<void> {
	await inEachTheme(page, name, async (nameInTheme, theme) => {
		await expectIcon(crewIcons(expected.icon).first(), theme);
		for (const text of expected.readable) {
			await expectReadable(page, text.filter({ visible: true }).first());
		}
		await takePicture(page, nameInTheme, expected.area);
	});
}

async function inEachTheme(
	page: Page,
	name: string,
	take: (nameInTheme: string, theme: Theme) => Promise<void>,
): Promise<void> {
	for (const theme of THEMES) {
		await page.emulateMedia({ colorScheme: theme });
		await take(theme === 'light' ? name : `${name}.dark`, theme);
	}
	await page.emulateMedia({ colorScheme: 'light' });
}

async function expectReadable(page: Page, text: Locator): Promise<void> {
	const box = await areaOf(text);
	const window = page.viewportSize();
	if (!window) throw new Error('The window has no size');
	const isInside =
		box.x >= 0 &&
		box.y >= 0 &&
		box.x + box.width <= window.width &&
		box.y + box.height <= window.height;
	if (!isInside) throw new Error(`${String(text)} is not within the window`);
	// The mouse passes through the names of nodes on the canvas.
	const isOnCanvas =
		(await text.locator('xpath=ancestor::*[@data-test-id="canvas-node"]').count()) > 0;
	// Only checks whether the mouse would reach it, or something in front of it.
	if (!isOnCanvas) await text.hover({ trial: true });
}
