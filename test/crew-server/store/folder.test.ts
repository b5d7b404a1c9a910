import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openStore, type StoreSettings } from '../../../crew-server/src/store/openStore';
import { MIGRATIONS } from '../../../crew-server/src/store/schema';
import type { ServerIdentity } from '../../../crew-server/src/store/serverTable';
import { get } from '../../../crew-server/src/store/sql';
import { Sqlite } from '../../../crew-server/src/store/sqlite';
import type { Store } from '../../../crew-server/src/store/store';
import { until } from '../support/until';
import { clockThatPasses } from './support/clock';
import { keepsTheContract } from './support/contract';
import { filesKeepTheContract } from './support/fileContract';
import { commit, complete, kickOff } from './support/orders';
import type { OpenTested } from './support/tested';

const openTested: OpenTested = async (settings) => {
	const { clock, pass } = clockThatPasses();
	const inFolder = mkdtempSync(join(tmpdir(), 'crew-store-'));
	const opened = (server?: ServerIdentity) =>
		openStore({ ...settings, folder: inFolder, clock, server });
	let store = await opened();
	return {
		get store() {
			return store;
		},
		pass,
		reopen: async (server) => {
			await store.close();
			store = await opened(server);
		},
		close: async () => {
			await store.close();
			rmSync(inFolder, { recursive: true });
		},
	};
};
keepsTheContract(openTested);
filesKeepTheContract(openTested);

describe('a folder', () => {
	let folder: string;
	let store: Store | undefined;
	const lines: string[] = [];
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'crew-store-'));
		lines.length = 0;
	});
	afterEach(async () => {
		await store?.close();
		store = undefined;
		rmSync(folder, { recursive: true });
	});

	const file = () => join(folder, 'executions.db');

	async function open(settings?: StoreSettings): Promise<Store> {
		store = await openStore({ folder, log: (line) => lines.push(line), ...settings });
		return store;
	}

	async function close(): Promise<void> {
		await store?.close();
		store = undefined;
	}

	/** Puts an ended execution into the folder, and closes the folder. @returns the identifier */
	async function fill(): Promise<string> {
		const opened = await open();
		const { execution } = await complete(opened, await kickOff(opened));
		await close();
		return execution.kickoffId;
	}

	/** Changes the file without the store. */
	function change(text: string): void {
		const database = new Sqlite(file());
		database.execute(text);
		database.close();
	}

	it('is private to its user, and only one process uses it at a time', async () => {
		await open();
		for (const name of ['executions.db', 'executions.db-wal']) {
			expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
		}
		await expect(openStore({ folder })).rejects.toThrow(
			`The folder ${folder} is in use by another crew server: stop that one, or give another folder with --data.`,
		);
	});

	it('gives unfinished work of an earlier process to a worker again, and its callbacks to be sent', async () => {
		const first = await open();
		await commit(first, await kickOff(first, { callbacks: { stepWebhookUrl: 'http://a/' } }), [
			{ type: 'step', step: { prompt: '', thought: '', result: '' } },
		]);
		await first.claim('a', 1);
		await first.claimCallbacks(1, []);
		await close();
		const second = await open();
		const [claimed] = await second.claim('b', 1);
		expect(claimed).toMatchObject({ wasInterrupted: true, lease: { epoch: 2 } });
		expect(await second.claimCallbacks(1, [])).toHaveLength(1);
	});

	it('makes no callback wait longer than intended if the clock was set back', async () => {
		const { clock } = clockThatPasses();
		const first = await open({ clock });
		await complete(first, await kickOff(first, { callbacks: { crewWebhookUrl: 'http://a/' } }));
		const [callback] = await first.claimCallbacks(1, []);
		await first.settle(callback!, { at: 1, problem: 'gone' }, { fate: 'due', after: 500 });
		await close();
		const second = await open({ clock: () => clock() - 3_600_000 });
		expect(await second.nextCallback()).toBe(500);
	});

	it('continues to remove what was to be removed when the process ended', async () => {
		await fill();
		const id = await fill();
		const opened = await open({ retention: { executions: 1 } });
		await until(async () => (await opened.list(10)).length === 1);
		expect((await opened.list(10))[0]?.kickoffId).toBe(id);
		await until(() => count('events') === 2);
	});

	it('removes what is too old by the clock of the machine, even if that was corrected meanwhile', async () => {
		const { now } = Date;
		let ahead = 0;
		const machine = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
		const opened = await open({ retention: { age: 3_600_000 } });
		const old = await complete(opened, await kickOff(opened));
		ahead = 7_200_000;
		await complete(opened, await kickOff(opened));
		await until(async () => (await opened.get(old.execution.kickoffId)) === undefined);
		machine.mockRestore();
	});

	it.each([
		['is damaged', `UPDATE executions SET data = '{"kickoffId":'`],
		['has lost a part', `DELETE FROM parts WHERE name = 'inputs'`],
		['has a newer format', `UPDATE parts SET value = '{"uuid":7}' WHERE name = 'tasks.0.'`],
	])('opens if one execution %s, which is set aside', async (_, text) => {
		const first = await open();
		const broken = await kickOff(first);
		await close();
		change(text);
		const second = await open();
		const whole = await kickOff(second);
		expect(await second.get(broken.execution.kickoffId)).toBeUndefined();
		expect(await second.list(10)).toEqual([whole.execution]);
		expect((await second.claim('a', 1)).map(({ key }) => key)).toEqual([whole.key]);
		expect(lines).toEqual([expect.stringContaining(`key ${broken.key} cannot be read`)]);
	});

	it('is left unchanged if it has a newer version', async () => {
		const id = await fill();
		change('PRAGMA user_version = 1000');
		await expect(open()).rejects.toThrow(
			`The folder ${folder} was written by a newer crew server: update this one, or give another folder with --data.`,
		);
		change(`PRAGMA user_version = ${MIGRATIONS.length}`);
		expect(await (await open()).get(id)).toBeDefined();
	});

	it('with an earlier version gets the columns for searching', async () => {
		const first = await open();
		const { execution } = await kickOff(first, { owner: 'user' });
		await close();
		change(
			`DROP INDEX executions_in_order_of_end;
			ALTER TABLE executions DROP COLUMN ended;
			ALTER TABLE executions DROP COLUMN owner;
			ALTER TABLE executions DROP COLUMN started_at;
			ALTER TABLE executions DROP COLUMN queued_at;
			ALTER TABLE executions DROP COLUMN project;
			ALTER TABLE executions DROP COLUMN machine;
			DROP TABLE servers;
			DROP TABLE kickoff_keys;
			PRAGMA user_version = 1`,
		);
		const { found } = await (
			await open()
		).find({ limit: 2, owner: 'user', from: execution.startedAt, to: execution.startedAt + 1 });
		expect(found).toMatchObject([{ kickoffId: execution.kickoffId, owner: 'user' }]);
	});

	it('is read without large parts, or without the inputs, and completely if nothing is large', async () => {
		const text = 'x'.repeat(10_000);
		const before = await open();
		const [small, large] = [await kickOff(before), await kickOff(before, { inputs: { text } })];
		await before.close();
		const store = await open();
		const { kickoffId, owner, tasks } = large.execution;
		expect((await store.getBrief(small.execution.kickoffId))?.whole).toEqual(small.execution);
		const found = await store.getBrief(kickoffId);
		expect(found?.whole).toBeUndefined();
		expect(found).toMatchObject({ key: large.key, version: large.version });
		expect(found?.brief).toMatchObject({ state: 'queued', owner, questions: [] });
		expect(found?.brief.tasks.map(({ taskId }) => taskId)).toEqual(
			tasks.map(({ taskId }) => taskId),
		);
		const told = await store.getTold(kickoffId);
		expect(told?.tasks).toEqual(tasks);
		for (const part of [found?.brief, told]) expect(JSON.stringify(part)).not.toContain('xxx');
		expect(await store.getBrief('other')).toBeUndefined();
	});

	it('is left unchanged if it has data of LevelDB', async () => {
		mkdirSync(join(folder, 'executions'));
		writeFileSync(join(folder, 'executions', 'CURRENT'), 'MANIFEST-000001\n');
		await expect(open()).rejects.toThrow('holds executions of an earlier kind');
		expect(existsSync(file())).toBe(false);
	});

	it.each([
		[
			'cut off',
			() => {
				truncateSync(file(), 4_096 * 3);
			},
		],
		[
			'overwritten at its beginning',
			() => {
				writeFileSync(file(), 'x'.repeat(100), { flag: 'r+' });
			},
		],
		[
			'something else',
			() => {
				writeFileSync(file(), 'hello '.repeat(1_000));
			},
		],
	])('is refused if its file is %s', async (_, damage) => {
		await fill();
		damage();
		await expect(open()).rejects.toThrow(
			/^The folder .* cannot be read \(.*\): correct that, or give another folder with --data\.$/,
		);
	});

	it('is refused if it cannot be made', async () => {
		writeFileSync(join(folder, 'file'), '');
		await expect(open({ folder: join(folder, 'file') })).rejects.toThrow('cannot be read (ENOTDIR');
		await expect(open({ folder: '/proc/x' })).rejects.toThrow('cannot be read (ENOENT');
	});

	it('gets only the changes', async () => {
		const opened = await open();
		const text = 'x'.repeat(5_000_000);
		const first = await kickOff(opened, { inputs: { topic: text } });
		const next = await commit(opened, first, [{ type: 'checkpoint', checkpoint: { text } }]);
		const size = () => statSync(`${file()}-wal`).size;
		const before = size();
		let last = next;
		for (let index = 0; index < 10; index++) {
			last = await commit(opened, last, [{ type: 'event', name: 'note', data: {} }]);
		}
		// Whole pages of 4,096 bytes are written.
		expect(size() - before).toBeLessThan(10 * 6 * 4_200);
	});

	it('notices that nothing can be written, and when it can be again, even if nobody writes', async () => {
		const opened = await open();
		const before = await kickOff(opened);
		database().get('PRAGMA max_page_count = 1');
		const large = { inputs: { text: 'x'.repeat(1_000_000) } };
		await expect(kickOff(opened, large)).rejects.toMatchObject({ name: 'StoreUnavailable' });
		expect(opened.problem).toBe('database or disk is full');
		expect(await opened.get(before.execution.kickoffId)).toEqual(before);
		database().get('PRAGMA max_page_count = 1000000');
		await until(() => opened.problem === undefined);
		await kickOff(opened, large);
		expect(await opened.count('queued')).toBe(2);
	});

	function database() {
		const { sqlite } = (store as unknown as { database: { sqlite: Sqlite } }).database;
		return { get: (text: string) => sqlite.perform(get(text)) };
	}

	function count(table: string): number {
		return (database().get(`SELECT COUNT(*) AS count FROM ${table}`) as { count: number }).count;
	}
});
