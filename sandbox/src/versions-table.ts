import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from './format';
import { manifestOf, TESTED_VERSIONS, versionIn, type TestedVersion } from './n8n-versions';
import { repositoryFolder } from './paths';

/** What was tried in one version, by column of the table, and whether it worked. */
export type Outcomes = ReadonlyMap<string, boolean>;

/** A row of the table, by column. */
export type Row = Record<string, string>;

const VERSION = 'n8n';
const NODE = 'Its Node.js';
const BEGIN = '<!-- versions: written by npm run test:versions -->';
const END = '<!-- /versions -->';

const readme = join(repositoryFolder, 'README.md');

/** Writes a run's outcomes into the README's table. A version that was not tried keeps its row. */
export async function writeVersionsTable(
	tried: ReadonlyMap<TestedVersion, Outcomes>,
): Promise<void> {
	const text = await readFile(readme, 'utf8');
	const before = readVersionsTable(text);
	const rows: Row[] = [];
	for (const name of TESTED_VERSIONS) {
		const start = await startOfRow(name);
		const known = before.find((row) => row[VERSION] === start[VERSION]);
		const outcomes = tried.get(name);
		rows.push({ ...(outcomes ? inWords(outcomes) : known), ...start });
	}
	const [head = '', , tail = ''] = split(text);
	const changed = [head, BEGIN, '\n\n', toMarkdown(rows), '\n\n', END, tail].join('');
	await writeFile(readme, changed);
	await format(readme);
}

function inWords(outcomes: Outcomes): Row {
	return Object.fromEntries(
		[...outcomes].map(([column, worked]) => [column, worked ? 'yes' : 'no']),
	);
}

/** The beginning of a version's row, whatever the outcomes: the version, and the Node that it needs. */
export async function startOfRow(name: TestedVersion): Promise<Row> {
	const manifest = manifestOf(name);
	const lockfile = JSON.parse(await readFile(join(manifest, 'package-lock.json'), 'utf8')) as {
		packages: Record<string, { engines?: { node?: string } }>;
	};
	const node = lockfile.packages['node_modules/n8n']?.engines?.node ?? '';
	return { [VERSION]: await versionIn(manifest), [NODE]: `\`${node}\`` };
}

/**
 * The rows of the table in the README's text.
 *
 * @throws if the markers around it are missing
 */
export function readVersionsTable(text: string): Row[] {
	const [, table = ''] = split(text);
	const [columns = [], , ...rows] = table
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
	return rows.map((cells) =>
		Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
	);
}

/** The text before, between and after the markers. */
function split(text: string): string[] {
	const parts = text.split(BEGIN).flatMap((part) => part.split(END));
	if (parts.length === 3) return parts;
	throw new Error(
		`README.md needs ${BEGIN} and ${END} once each: the table of versions is between them`,
	);
}

function toMarkdown(rows: Row[]): string {
	const columns = [...new Set([VERSION, NODE, ...rows.flatMap((row) => Object.keys(row))])];
	const lines = [columns, columns.map(() => '---')];
	for (const row of rows) lines.push(columns.map((column) => row[column] ?? 'not tried'));
	return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
