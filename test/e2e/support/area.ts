import type { Locator } from 'playwright-core';

/** A part of the window. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** Where something is on the window. */
export async function areaOf(subject: Locator): Promise<Area> {
	const box = await subject.boundingBox();
	if (!box) throw new Error(`${String(subject)} is not to be seen`);
	return box;
}
