import { execFileSync } from 'node:child_process';
import { repositoryFolder } from '../../../sandbox/src/paths';

/** Words that nobody would say to a colleague, and better ones. */
const WORDS: ReadonlyArray<readonly [word: string, instead: string]> = [
	['where', 'if, or which'],
	['whoever', 'anyone who'],
	['(is|are) (still |else )?at work', 'is running'],
	['unless (given|told otherwise)', 'by default'],
];

/** What really is about a place. */
const PLACES = [
	// How a comment on a variable for a place begins.
	/\/\*\* Where (?!there)/,
	/@where\b/,
	/\bwhere (it|they|work|the crew) (is|are)(?=\W*$|[.,:;]| again\b| and\b)/gi,
	/\bwhere (an |the |such a )?\w+ (stands?|goes|leads|happen|comes|fell|was called|was kicked off|were looked for)\b/gi,
];

const FOLDERS = [
	'nodes',
	'credentials',
	'crew-server/src',
	'crew-server/page',
	'sandbox',
	'bench',
	'test',
];

const comments = execFileSync('git', ['grep', '-nE', '^\\s*(/\\*|\\*|//)', '--', ...FOLDERS], {
	cwd: repositoryFolder,
})
	.toString()
	.split('\n')
	.map((line) => PLACES.reduce((rest, place) => rest.replace(place, ''), line));

test.each(WORDS)('no comment says “%s” instead of “%s”', (word) => {
	expect(comments.length).toBeGreaterThan(1_000);
	expect(comments.filter((line) => new RegExp(`\\b${word}\\b`, 'i').test(line))).toEqual([]);
});
