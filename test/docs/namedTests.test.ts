import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../sandbox/src/paths';
import { markdownFiles, readText } from './support/markdown';

const namedTests = (text: string) => text.match(/`test\/[\w./-]+`/g) ?? [];
const isThere = (name: string) => existsSync(join(repositoryFolder, name.slice(1, -1)));

test.each(markdownFiles)('each test that %s names is there', (file) => {
	expect(namedTests(readText(file)).filter((name) => !isThere(name))).toEqual([]);
});

test('a test that is not there is noticed', () => {
	const names = namedTests('See `test/docs/none.test.ts` and `test/docs/namedTests.test.ts`');
	expect(names.filter((name) => !isThere(name))).toEqual(['`test/docs/none.test.ts`']);
});
