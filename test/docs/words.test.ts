import { markdownFiles, readText } from './support/markdown';

/** Limits for what people read, in words as `wc -w` counts them. */
const MOST = new Map([
	['README.md', 900],
	['docs/waiting.md', 1_000],
	['crew-server/README.md', 900],
	['docs/your-crew-in-n8n.md', 500],
	['docs/several-machines.md', 700],
	['docs/page.md', 300],
]);
const MOST_OF_WALK = 150;
const MOST_OF_ALL = 15_000;

/** Changelogs grow, reports are written by programs, and the license by others. */
const isCounted = (file: string) =>
	!/(^|\/)CHANGELOG\.md$/.test(file) &&
	!/^docs\/reports\/(?!README)/.test(file) &&
	!['LICENSE.md', 'bench/results.md'].includes(file);

const countWords = (text: string) => text.trim().split(/\s+/).length;
const wordsIn = (file: string) => countWords(readText(file));

test.each([...MOST])('%s has at most %i words', (file, most) => {
	expect(wordsIn(file)).toBeLessThanOrEqual(most);
});

test(`what a newcomer reads about where new things go has at most ${MOST_OF_WALK} words`, () => {
	const [, walk] = /^## Where new things go\n(.*?)^## /ms.exec(readText('CONTRIBUTING.md')) ?? [];
	expect(walk).toContain('store');
	expect(countWords(walk ?? '')).toBeLessThanOrEqual(MOST_OF_WALK);
});

test(`all pages together have at most ${MOST_OF_ALL} words`, () => {
	const counts = markdownFiles.filter(isCounted).map((file) => [wordsIn(file), file] as const);
	const sum = counts.reduce((all, [words]) => all + words, 0);
	// The longest first, if this fails.
	const longest = counts.sort(([a], [b]) => b - a).slice(0, 8);
	expect([sum <= MOST_OF_ALL, sum, longest]).toEqual([true, sum, longest]);
});

test('a changelog, the license and a report are not counted, a page is', () => {
	const left = ['CHANGELOG.md', 'LICENSE.md', 'docs/reports/faults.md'];
	const counted = ['docs/reports/README.md', 'SECURITY.md'];
	expect([...left, ...counted].filter(isCounted)).toEqual(counted);
});
