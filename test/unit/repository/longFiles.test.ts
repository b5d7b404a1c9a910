import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** As ESLint's `max-lines` for TypeScript; ruff has no such rule. */
const MOST_LINES = 300;

it('no Python file is too long', () => {
	const files = execFileSync('git', ['ls-files', '*.py'], { cwd: repositoryFolder })
		.toString()
		.trim()
		.split('\n');
	expect(files.length).toBeGreaterThan(100);
	const lines = (file: string) =>
		readFileSync(join(repositoryFolder, file), 'utf8').split('\n').length - 1;
	expect(files.filter((file) => lines(file) > MOST_LINES)).toEqual([]);
});
