import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { linksOf, markdownFiles, readText } from './support/markdown';

const FOLDER = 'docs/pictures';

/** Paths of all pictures, from the repository's folder. */
const pictures = readdirSync(join(repositoryFolder, FOLDER)).map((name) => join(FOLDER, name));

const shown = new Map(
	markdownFiles.map((file) => [file, picturesIn(file, readText(file))] as const),
);

/** The same picture in n8n's dark theme. */
const darkOf = (picture: string) => picture.replace(/\.png$/, '.dark.png');

test('the pictures are found', () => {
	expect(pictures).toEqual(
		expect.arrayContaining(['docs/pictures/kickoff.png', 'docs/pictures/kickoff.dark.png']),
	);
});

test.each(pictures)('%s is shown on some page', (picture) => {
	const pages = markdownFiles.filter((file) => shown.get(file)?.includes(picture));
	expect(pages).not.toEqual([]);
});

const illustrated = markdownFiles.filter((file) => shown.get(file)?.length);

test.each(illustrated)('%s also has dark pictures', (file) => {
	expect(withoutDark(shown.get(file) ?? [])).toEqual([]);
});

test('a picture in only one theme is noticed', () => {
	const light = picturesIn('docs/waiting.md', '![The panel](pictures/kickoff.png)\n');
	expect(light).toEqual(['docs/pictures/kickoff.png']);
	expect(withoutDark(light)).toEqual(light);

	const both = picturesIn(
		'README.md',
		'<picture>\n<source srcset="docs/pictures/kickoff.dark.png">\n<img src="docs/pictures/kickoff.png">\n</picture>\n',
	);
	expect(both).toEqual(['docs/pictures/kickoff.dark.png', 'docs/pictures/kickoff.png']);
	expect(withoutDark(both)).toEqual([]);
});

/** The pictures that a page shows. */
function picturesIn(page: string, text: string): string[] {
	return linksOf(text)
		.map((link) => join(dirname(page), link))
		.filter((path) => pictures.includes(path));
}

/** Pictures that exist in both themes but are shown only in the light one. */
function withoutDark(paths: string[]): string[] {
	return paths.filter((path) => pictures.includes(darkOf(path)) && !paths.includes(darkOf(path)));
}
