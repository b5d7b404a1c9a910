import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '../../sandbox/src/paths';
import { readText } from './support/markdown';

const folder = join(repositoryFolder, 'test', 'crewai');

/** Tests of a kind of project are named `<kind>: <behavior>. Lost: <what is lost>.` */
const TITLE = /\bit\(\s*(['"])([^\n]+?): ([^\n]+?)\. Lost: ([^\n]+?)\.\1/g;

const tested = readdirSync(folder)
	.filter((file) => file.endsWith('.test.ts'))
	.flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(TITLE)])
	.map(([, , kind = '', holds = '', lost = '']) => [kind, holds, lost]);

/** `- **<kind>**: <behavior>. Lost: <what is lost>.`, the latter only if something is. */
const ENTRY = /^- \*\*(.+)\*\*: (.+?)\.(?: Lost: ([^.]+)\.)?$/gm;

test('the list of kinds of projects has an entry for each test of a kind, in the same words', () => {
	const [, list = ''] = readText('docs/real-crews.md').split('Each kind is a test:\n');
	const [entries = ''] = list.split('\n## ');
	const listed = [...entries.matchAll(ENTRY)].map(([, kind, holds, lost = 'nothing']) => [
		kind,
		holds,
		lost,
	]);
	expect(tested.length).toBeGreaterThan(0);
	expect(listed.sort()).toEqual(tested.sort());
});
