import { execFileSync } from 'node:child_process';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** Words that nobody would say to a colleague, and those to say instead. */
const WORDS: ReadonlyArray<readonly [word: string, instead: string]> = [
	['where', 'if, or which'],
	['whoever', 'anyone who'],
	['is at work', 'is running'],
];

/** What really is about a place. */
const PLACES = [
	'Where an execution stands',
	'where it comes from',
	'where it fell from',
	'where it was kicked off',
];

const comments = execFileSync(
	'git',
	['grep', '-nE', '^\\s*(/\\*|\\*|//)', '--', 'nodes/*.ts', 'credentials/*.ts'],
	{ cwd: repositoryFolder },
)
	.toString()
	.split('\n')
	.map((line) => PLACES.reduce((rest, place) => rest.replace(place, ''), line));

test.each(WORDS)('no comment of the node says “%s” for “%s”', (word) => {
	expect(comments.length).toBeGreaterThan(500);
	expect(comments.filter((line) => new RegExp(`\\b${word}\\b`, 'i').test(line))).toEqual([]);
});
