import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFolder } from '../../../sandbox/src/paths';
import { screenshotFolder } from './editor';

/** Something that can be photographed: a page, or one element of it. */
interface Photographed<Area> {
	screenshot(options: { path: string; animations: 'disabled'; clip?: Area }): Promise<unknown>;
}

/**
 * Takes a picture that the documentation shows. Only `npm run pictures` writes it there; the tests
 * leave it with their other screenshots.
 */
export async function takePicture<Area>(
	subject: Photographed<Area>,
	name: string,
	clip?: Area,
): Promise<void> {
	const isForDocs = process.env.npm_lifecycle_event === 'pictures';
	const folder = isForDocs ? join(repositoryFolder, 'docs', 'pictures') : screenshotFolder;
	await mkdir(folder, { recursive: true });
	await subject.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', clip });
}
