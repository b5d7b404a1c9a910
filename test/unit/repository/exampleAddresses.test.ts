import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** Before the first release, real values replace these: CONTRIBUTING.md lists the places. */

const ADDRESS = 'git\\.example\\.org|n8n-nodes-crew\\.example\\.org';
/** Their addresses are really examples, or belong to the past. */
const LEFT_OUT = /^(test|examples)\/|^CHANGELOG\.md$/;

const having = execFileSync('git', ['grep', '-lE', ADDRESS], { cwd: repositoryFolder })
	.toString()
	.trim()
	.split('\n')
	.filter((file) => !LEFT_OUT.test(file));

const page = readFileSync(join(repositoryFolder, 'CONTRIBUTING.md'), 'utf8');
const [, chapter = ''] = page.split('## How to release\n');
const entries = chapter.split('\n').filter((line) => line.startsWith('- `'));
const named = entries.flatMap((entry) =>
	[...(entry.split(':')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file),
);

test('CONTRIBUTING.md names each file that has an example address, and no other', () => {
	expect(having).toContain('package.json');
	expect(named.sort()).toEqual(having.sort());
});
