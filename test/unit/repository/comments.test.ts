import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
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
	/(\/\*\*|"""|^\s+\w+:) ?Where (?!there)/,
	/@where\b/,
	/\bwhere (it|they|work|the crew) (is|are)(?=\W*$|[.,:;]| again\b| and\b)/gi,
	/\bwhere (an |the |such a )?\w+ (stands?|goes|leads|happen|comes|fell|was called|was kicked off|were looked for)\b/gi,
];

const FOLDERS = [
	'nodes',
	'credentials',
	'crew-server/src',
	'crew-server/page',
	'crew-server/python',
	'sandbox',
	'bench',
	'test',
];

const COMMENTS = /(?<=^|[\s{])\/[/*].*|^\s*\*.*/gm;
/** With each string in three quotation marks: most of them are docstrings. */
const IN_PYTHON = /"""[^]*?"""|(?<=^|\s)#.*/gm;

/** The lines of comments, alone or behind code, each with its file. */
function commentsOf(file: string): string[] {
	const comments = extname(file) === '.py' ? IN_PYTHON : COMMENTS;
	return [...readFileSync(join(repositoryFolder, file), 'utf8').matchAll(comments)]
		.flatMap(([comment]) => comment.split('\n'))
		.map((line) => `${file}: ${PLACES.reduce((rest, place) => rest.replace(place, ''), line)}`);
}

const lines = execFileSync('git', ['ls-files', '--', ...FOLDERS], { cwd: repositoryFolder })
	.toString()
	.trim()
	.split('\n')
	.flatMap(commentsOf);

test.each(WORDS)('no comment says “%s” instead of “%s”', (word) => {
	expect(lines.length).toBeGreaterThan(1_000);
	expect(lines.filter((line) => new RegExp(`\\b${word}\\b`, 'i').test(line))).toEqual([]);
});
