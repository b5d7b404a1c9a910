import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { all, get, run } from '../../../crew-server/src/store/sql';
import { isDamage, Sqlite } from '../../../crew-server/src/store/sqlite';
import { SqliteDatabase } from '../../../crew-server/src/store/sqliteDatabase';

/** Errors of a database, and how they are reported. */

let sqlite: Sqlite;
let database: SqliteDatabase;
beforeEach(() => {
	sqlite = new Sqlite();
	sqlite.execute('CREATE TABLE texts (text)');
	database = new SqliteDatabase(sqlite);
});
afterEach(() => database.close());

const insert = (end: string) => `INSERT INTO texts VALUES ($1) ${end}`;
const text = 'x'.repeat(1_000_000);

const write = (value: string, isAwaited: boolean) =>
	database.write(function* () {
		yield* run(insert(''), value);
		return { value: undefined };
	}, isAwaited);

it.each([
	['returns nothing', () => run(insert(''), text)],
	['returns rows', () => get(insert('RETURNING 1'), text)],
])('says that the disk is full if a statement %s', async (_, statement) => {
	sqlite.perform(get('PRAGMA max_page_count = 3'));
	const writing = database.write(function* () {
		yield* statement();
		return { value: undefined };
	});
	await expect(writing).rejects.toMatchObject({
		name: 'StoreUnavailable',
		message: 'database or disk is full',
	});
	expect(database.problem).toBe('database or disk is full');
});

it('reports the cause of a failed write that SQLite itself has rolled back', async () => {
	const writing = database.write(function* () {
		yield* run('ROLLBACK');
		throw new Error('It has met something');
	});
	await expect(writing).rejects.toMatchObject({ message: 'It has met something' });
});

it('makes the writes beside one that fails, each once and in order', async () => {
	const told: unknown[] = [];
	database.onWritten(({ value }) => told.push(value));
	const writes = ['first', 'second', 'third'].map((text) =>
		database.write(function* () {
			yield* run(insert(''), text);
			if (text === 'second') throw new Error('It has met something');
			return { value: text };
		}),
	);
	const settled = await Promise.allSettled(writes);
	expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
	expect(settled[1]).toMatchObject({ reason: { message: 'It has met something' } });
	expect(told).toEqual(['first', 'third']);
	expect(sqlite.perform(all('SELECT text FROM texts ORDER BY rowid'))).toEqual([
		{ text: 'first' },
		{ text: 'third' },
	]);
	expect(database.problem).toBeUndefined();
});

it('makes few of the writes for which clients wait before others, each in its order', async () => {
	const others = Array.from({ length: 20 }, (_, index) => `other ${index}`);
	const awaited = Array.from({ length: 20 }, (_, index) => `awaited ${index}`);
	await Promise.all([
		...others.map((text) => write(text, false)),
		...awaited.map((text) => write(text, true)),
	]);
	const rows = sqlite.perform(all('SELECT text FROM texts ORDER BY rowid')) as Array<{
		text: string;
	}>;
	const texts = rows.map(({ text }) => text);
	expect(texts.filter((text) => text.startsWith('other'))).toEqual(others);
	expect(texts.filter((text) => text.startsWith('awaited'))).toEqual(awaited);
	expect(texts.indexOf('awaited 0')).toBeLessThan(8);
	expect(texts.indexOf('awaited 1')).toBeLessThan(16);
	expect(texts.indexOf('other 19')).toBeLessThan(24);
});

it('tells each caller that its write has failed', async () => {
	sqlite.perform(get('PRAGMA max_page_count = 3'));
	const settled = await Promise.allSettled(
		[true, false, false].map((isAwaited) => write(text, isAwaited)),
	);
	expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

it('recognizes a damaged file', () => {
	const folder = mkdtempSync(join(tmpdir(), 'crew-sqlite-'));
	const file = join(folder, 'texts.db');
	let damaged = new Sqlite(file);
	damaged.execute('CREATE TABLE texts (text)');
	damaged.perform(run(insert(''), text));
	damaged.close();
	const bytes = readFileSync(file);
	writeFileSync(file, bytes.fill(0xff, bytes.length / 2));
	damaged = new Sqlite(file);
	let told: unknown;
	try {
		damaged.perform(all('SELECT text FROM texts'));
	} catch (error) {
		told = error;
	}
	expect(isDamage(told)).toBe(true);
	damaged.close();
	rmSync(folder, { recursive: true });
});
