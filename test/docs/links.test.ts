import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { anchorsOf, linksOf, markdownFiles, readText } from './support/markdown';

const isExternal = (link: string) => /^[a-z]+:/i.test(link);

test('the documentation is found', () => {
	expect(markdownFiles).toEqual(
		expect.arrayContaining(['README.md', 'docs/waiting.md', '.github/pull_request_template.md']),
	);
});

test.each(markdownFiles)('everything that %s links to exists', (file) => {
	const missing = linksOf(readText(file))
		.filter((link) => !isExternal(link))
		.filter((link) => !isThere(file, link));
	expect(missing).toEqual([]);
});

test.each(markdownFiles)('%s links to addresses that can be opened', (file) => {
	for (const link of linksOf(readText(file)).filter(isExternal)) {
		expect(link).toMatch(
			/^(https:\/\/[\w.-]+\.[a-z]{2,}(\/|$)|http:\/\/localhost[:/]|mailto:\S+@)/,
		);
		expect(() => new URL(link)).not.toThrow();
	}
});

test('a link to nothing is noticed', () => {
	const text = '# One two\n\n[a](#one-two) [b](#three)\n\n<img src="docs/none.png">\n';
	expect(linksOf(text)).toEqual(['#one-two', '#three', 'docs/none.png']);
	expect(anchorsOf(text)).toEqual(['one-two']);
	expect(isThere('README.md', 'docs/none.png')).toBe(false);
	expect(isThere('README.md', 'docs/waiting.md#nothing')).toBe(false);
	expect(isThere('README.md', 'docs/waiting.md#the-time-limit')).toBe(true);
});

function isThere(from: string, link: string): boolean {
	const [path = '', anchor] = link.split('#').map(decodeURIComponent);
	const target = path === '' ? from : normalize(join(dirname(from), path));
	if (!existsSync(join(repositoryFolder, target))) return false;
	return anchor === undefined || anchorsOf(readText(target)).includes(anchor);
}
