import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { readText } from './support/markdown';

const PAGE = 'docs/reports/platform.md';

/** What shows each row: a file of tests, and words of a test's name in it. */
const shown = readText(PAGE)
	.split('\n')
	.filter((line) => /^\| (?!What the platform does|-)/.test(line))
	.map((line) => /\| `(test\/[\w./-]+)`: ([^|]+?) +\|$/.exec(line)?.slice(1) ?? [line, '']);

test('the page has rows', () => {
	expect(shown.length).toBeGreaterThan(20);
});

test.each(shown)('%s has a test "%s"', (file, name) => {
	expect([file, existsSync(join(repositoryFolder, file))]).toEqual([file, true]);
	expect(name).not.toBe('');
	expect([name, readText(file).includes(name)]).toEqual([name, true]);
});
