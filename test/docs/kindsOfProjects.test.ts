import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '../../sandbox/src/paths';
import { readText } from './support/markdown';

const folder = join(repositoryFolder, 'test', 'crewai');

/** Tests of a kind of project are called `<kind>: <what holds>. Lost: <what is lost>.` */
const TITLE = /\bit\(\s*(['"])([^\n]+?): ([^\n]+?)\. Lost: ([^\n]+?)\.\1/g;

const tested = readdirSync(folder)
	.filter((file) => file.endsWith('.test.ts'))
	.flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(TITLE)])
	.map(([, , kind = '', holds = '', lost = '']) => [kind, holds, lost]);

test('the table of kinds of projects has a row for each test of one, in its words', () => {
	const [, table = ''] = readText('docs/real-crews.md').split(/^\| Kind .*\n\| -.*\n/m);
	const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
	const cells = rows.map((row) => row.split('|').slice(1, -1));
	expect(tested.length).toBeGreaterThan(0);
	expect(cells.map((row) => row.map((cell) => cell.trim())).sort()).toEqual(tested.sort());
});
