import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeCommit } from '../../../sandbox/src/commit';
import { OPERATION_NAMES, type OperationName } from '../crewOperations';
import { NAMES } from './cells';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'reports', 'faults.md');

/** Where a part of docs/reports/faults.md begins and ends. */
function placeOf(part: string, page: string): [from: number, to: number] {
	const [begin, end] = [`<!-- ${part} -->\n\n`, `\n\n<!-- end of ${part} -->`];
	const from = page.indexOf(begin) + begin.length;
	const to = page.indexOf(end);
	if (from < begin.length || to < 0) throw new Error(`docs/reports/faults.md has no part ${part}`);
	return [from, to];
}

/** Compares a part of docs/reports/faults.md with what the tests saw; `npm run faults` writes it instead. */
export function expectOnPage(part: string, seen: string): void {
	const page = readFileSync(PAGE, 'utf8');
	const [from, to] = placeOf(part, page);
	if (process.env.npm_lifecycle_event === 'faults') {
		const today = `${new Date().toISOString().slice(0, 10)}, ${describeCommit()}:`;
		const written = page.slice(0, from) + seen + page.slice(to);
		writeFileSync(PAGE, written.replace(/^\d{4}-\d\d-\d\d.*?:/m, today));
	} else {
		expect(page.slice(from, to)).toBe(seen);
	}
}

/** Compares a part of docs/reports/faults.md that has tables for operations, see {@link expectOnPage}. */
export function expectTablesOnPage(
	part: string,
	tables: ReadonlyArray<{ operation: OperationName; table: string }>,
): void {
	const missing = OPERATION_NAMES.filter(
		(name) => !tables.some(({ operation }) => operation === name),
	);
	if (missing.length > 0) throw new Error(`There is no table of ${missing.join(', ')}: see above`);
	const parts = groupBy(tables, ({ table }) => table).map((group) => {
		const names = group.map(({ operation }) => NAMES[operation]).join(', ');
		return `### ${names}\n\n${group[0]?.table ?? ''}`;
	});
	expectOnPage(part, parts.join('\n\n'));
}

/**
 * The row in a part of docs/reports/faults.md for a fault, or for faults one after the other: its cells after them.
 *
 * @param operation the table's operation, if each has one
 */
export function rowOnPage(
	part: string,
	faults: readonly string[],
	operation?: OperationName,
): string[] {
	const page = readFileSync(PAGE, 'utf8');
	const tables = page.slice(...placeOf(part, page)).split(/^### /m);
	const isOwn = ([names = '']: string[]) =>
		operation === undefined || names.split(', ').includes(NAMES[operation]);
	const lines = tables.map((table) => table.split('\n')).find(isOwn) ?? [];
	const rows = lines.map((line) =>
		line
			.split('|')
			.map((cell) => cell.trim())
			.slice(1, -1),
	);
	const row = rows.find((cells) => faults.every((fault, column) => tellsOf(cells[column], fault)));
	if (!row) throw new Error(`docs/reports/faults.md says nothing about ${faults.join(', then ')}`);
	return row.slice(faults.length);
}

function tellsOf(cell = '', fault: string): boolean {
	return cell === 'anything' || cell.startsWith('anything but: ') !== cell.includes(fault);
}

/** A table in Markdown, as Prettier would lay it out. */
export function toTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = head.map((_, column) =>
		Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: readonly string[], filler: string) =>
		`| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, filler)).join(' | ')} |`;
	return [line(head, ' '), line([], '-'), ...rows.map((row) => line(row, ' '))].join('\n');
}

/** Groups entries with the same key, in the order in which the keys first appear. */
export function groupBy<T>(entries: readonly T[], keyOf: (entry: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const entry of entries) {
		const key = keyOf(entry);
		groups.set(key, [...(groups.get(key) ?? []), entry]);
	}
	return [...groups.values()];
}

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
	const last = words.at(-1) ?? '';
	return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
