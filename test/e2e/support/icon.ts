import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';

/** How n8n's editor looks. */
export type Theme = 'light' | 'dark';

/** The color of the figures at the sides, as red, green and blue, which distinguishes the two drawings. */
const SIDE_COLOURS: Record<Theme, readonly [number, number, number]> = {
	light: [0xc2, 0x41, 0x0c],
	dark: [0xfd, 0xba, 0x74],
};

const FILES: Record<Theme, RegExp> = { light: /\/crew\.svg$/, dark: /\/crew\.dark\.svg$/ };

/** How much two values of a color may differ and still count as the same. */
const TOLERANCE = 6;

/** The least part of the picture that must have the sides' color, which is about an eighth without blur. */
const LEAST_SHARE = 0.02;

/** The node's icons in a part of the editor. */
export function crewIcons(area: Locator): Locator {
	return area.locator('img[src*="/nodes/Crew/crew."]').filter({ visible: true });
}

/**
 * Waits until an icon is the theme's file, and checks that this is really what is drawn.
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
	// Until the file is loaded, the previous icon is drawn, or nothing.
	await image.evaluate(async (drawn: { decode?: () => Promise<void> }) => await drawn.decode?.());
}
