import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TESTED_VERSIONS } from '../../sandbox/src/n8n-versions';
import { repositoryFolder } from '../../sandbox/src/paths';
import { readVersionsTable, startOfRow } from '../../sandbox/src/versions-table';

const text = readFileSync(join(repositoryFolder, 'README.md'), 'utf8');
const rows = readVersionsTable(text);

describe('the README’s table of versions', () => {
	it('names the tested versions of n8n, each with the Node that it requires', async () => {
		const defined = await Promise.all(TESTED_VERSIONS.map(startOfRow));
		expect(rows).toEqual(defined.map((start) => expect.objectContaining(start) as unknown));
	});

	it('says that everything works', () => {
		const [first = {}] = rows;
		const columns = Object.keys(first).slice(2);
		expect(columns.length).toBeGreaterThan(5);
		for (const row of rows)
			expect(columns.map((column) => row[column])).toEqual(columns.map(() => 'yes'));
	});

	it('ends with the version that the README states as the lowest', () => {
		const stated = [
			...text.matchAll(/\b\d+\.\d+\.\d+ or newer\.|lowest supported version is n8n [\d.]+\d/g),
		];
		const lowest = rows.at(-1)?.n8n ?? 'none';
		expect(stated.length).toBe(2);
		for (const [words] of stated) expect(words).toContain(lowest);
	});
});
