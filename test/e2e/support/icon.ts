import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';

/** How n8n's editor looks. */
export type Theme = 'light' | 'dark';

/** What tells the two drawings apart is the colour of the figures at the sides, as red, green and blue. */
const SIDE_COLOURS: Record<Theme, readonly [number, number, number]> = {
	light: [0xc2, 0x41, 0x0c],
	dark: [0xfd, 0xba, 0x74],
};

const FILES: Record<Theme, RegExp> = { light: /\/crew\.svg$/, dark: /\/crew\.dark\.svg$/ };

/** How far apart two values of a colour may be to count as the same. */
const TOLERANCE = 6;

/** How much of the picture has the sides' colour, at the least: it is about an eighth if nothing is blurred. */
const LEAST_SHARE = 0.02;

/** The node's icons in a part of the editor. */
export function crewIcons(area: Locator): Locator {
	return area.locator('img[src*="/nodes/Crew/crew."]').filter({ visible: true });
}

/**
 * Waits until an icon is the theme's file, and sees that this is really what is drawn there.
 *
 * @throws if the file did not load, or the pixels have other colours
 */
export async function expectIcon(icon: Locator, theme: Theme): Promise<void> {
	await expectFile(icon, theme);
	const { data, width, height } = PNG.sync.read(await icon.screenshot({ animations: 'disabled' }));
	const share = (colour: readonly number[]) => {
		let same = 0;
		for (let pixel = 0; pixel < data.length; pixel += 4) {
			if (colour.every((value, i) => Math.abs((data[pixel + i] ?? 0) - value) <= TOLERANCE)) same++;
		}
		return same / (width * height);
	};
	const other = theme === 'light' ? 'dark' : 'light';
	expect(share(SIDE_COLOURS[theme])).toBeGreaterThan(LEAST_SHARE);
	expect(share(SIDE_COLOURS[other])).toBeLessThan(LEAST_SHARE);
}

async function expectFile(icon: Locator, theme: Theme): Promise<void> {
	const image = icon.and(
		icon.page().locator(`img[src$="/crew.${theme === 'dark' ? 'dark.' : ''}svg"]`),
	);
	await image.waitFor();
	expect(await image.getAttribute('src')).toMatch(FILES[theme]);
	// Until the file has come, what was there before it is drawn, or nothing.
	await image.evaluate(async (drawn: { decode?: () => Promise<void> }) => await drawn.decode?.());
}
