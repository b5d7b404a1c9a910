import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { readText } from './support/markdown';

const PAGE = 'docs/reports/platform.md';

/** The test of each row: a file, and words of a test's name in it. */
const shown = readText(PAGE)
	.split('\n')
	.filter((line) => /^\| (?!What the platform does|-)/.test(line))
	.map((line) => /\| `(test\/[\w./-]+)`: ([^|]+?) +\|$/.exec(line)?.slice(1) ?? [line, '']);

/** Whether a file has these words in a string on one line, as names are. */
const isNamed = (text: string, words: string) =>
	text.split('\n').some((line) => /(['"`])(.*)\1/.exec(line)?.[2]?.includes(words));

test('the page has rows', () => {
	expect(shown.length).toBeGreaterThan(20);
});

test.each(shown)('%s has a test "%s"', (file, name) => {
	expect([file, existsSync(join(repositoryFolder, file))]).toEqual([file, true]);
	expect(name).not.toBe('');
	expect([name, isNamed(readText(file), name)]).toEqual([name, true]);
});

test('words outside a name do not count', () => {
	expect(isNamed('/** By time. */', 'By time')).toBe(false);
	expect(isNamed("it('comes by time', () => {", 'by time')).toBe(true);
});
