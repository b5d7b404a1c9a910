import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { markdownFiles, readText } from './support/markdown';

const namedTests = (text: string) => text.match(/`test\/[\w./-]+`/g) ?? [];
const isThere = (name: string) => existsSync(join(repositoryFolder, name.slice(1, -1)));

test.each(markdownFiles)('each test that %s names exists', (file) => {
	expect(namedTests(readText(file)).filter((name) => !isThere(name))).toEqual([]);
});

/** Superscript numbers, for which a line below the table names the tests: "Shown by ¹ `test/…`". */
const NUMBER = /[¹²³⁴⁵⁶⁷⁸⁹]/g;
const guarantees = (text: string) => /\n((?:\|.*\|\n)+)\n(Shown by .*)/.exec(text) ?? [];

test.each(markdownFiles.filter((file) => guarantees(readText(file)).length > 0))(
	'each guarantee of %s has its test, and each test its guarantee',
	(file) => {
		const [, table = '', shown = ''] = guarantees(readText(file));
		const cells = table
			.trim()
			.split('\n')
			.slice(2)
			.flatMap((row) => row.split('|').slice(2, -1));
		expect(cells.filter((cell) => !cell.match(NUMBER))).toEqual([]);
		const shownBy = [...shown.matchAll(/(\S) `test\//g)].map(([, number]) => number);
		const told = shown.replaceAll(/\S `test\/.*?`/g, '');
		expect(new Set(`${cells.join()}${told}`.match(NUMBER))).toEqual(new Set(shownBy));
	},
);

test('a missing test is noticed', () => {
	const names = namedTests('See `test/docs/none.test.ts` and `test/docs/namedTests.test.ts`');
	expect(names.filter((name) => !isThere(name))).toEqual(['`test/docs/none.test.ts`']);
});
