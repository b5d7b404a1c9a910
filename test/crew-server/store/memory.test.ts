import { migrate } from '../../../crew-server/src/store/schema';
import { openStore } from '../../../crew-server/src/store/openStore';
import { all, type Sql, type Statement } from '../../../crew-server/src/store/sql';
import { Sqlite } from '../../../crew-server/src/store/sqlite';
import type { Claimed } from '../../../crew-server/src/store/store';
import { clockThatPasses } from './support/clock';
import { keepsTheContract } from './support/contract';
import { begun } from './support/orders';

/** All statements so far, and the last values of each. */
const statements = new Map<string, Statement>();

const perform: (this: Sqlite, work: Sql<unknown>) => unknown = Reflect.get(
	Sqlite.prototype,
	'perform',
);
beforeAll(() => {
	jest.spyOn(Sqlite.prototype, 'perform').mockImplementation(function (this: Sqlite, work) {
		return perform.call(this, noting(work));
	});
});
afterAll(() => {
	jest.restoreAllMocks();
});

function* noting<T>(work: Sql<T>): Sql<T> {
	let step = work.next();
	while (!step.done) {
		for (const statement of step.value) statements.set(statement.text, statement);
		try {
			step = work.next(yield step.value);
		} catch (error) {
			step = work.throw(error);
		}
	}
	return step.value;
}

keepsTheContract(async (settings) => {
	const { clock, pass } = clockThatPasses();
	const store = await openStore({ ...settings, clock });
	return { store, pass, reopen: () => Promise.resolve(), close: () => store.close() };
});

/** A step of how SQLite performs a statement; steps with the same parent belong together. */
interface Step {
	parent: number;
	detail: string;
}

/** The statements that SQLite performs in a certain way, except for pages of the newest. */
function statementsWith(isSo: (steps: readonly Step[]) => boolean): string[] {
	const sqlite = new Sqlite();
	migrate(sqlite);
	const stepsOf = ({ text, values }: Statement) =>
		sqlite.perform(all(`EXPLAIN QUERY PLAN ${text}`, ...values.map(() => 64))) as Step[];
	const found = [...statements.values()]
		.filter(({ text }) => !/^EXPLAIN|ORDER BY (key|seq) DESC LIMIT \$\d$/.test(text))
		.filter((statement) => isSo(stepsOf(statement)))
		.map(({ text }) => text);
	sqlite.close();
	expect(statements.size).toBeGreaterThan(40);
	return found;
}

it('reads no table in its own order, except for pages of the newest', () => {
	const found = statementsWith((steps) =>
		steps.some(({ detail }) => /^SCAN (executions|parts|events|callbacks)$/.test(detail)),
	);
	expect(found).toEqual([]);
});

it('sorts no rows of a table, except for what waits for a worker, which has a limit', () => {
	const found = statementsWith((steps) => {
		const isSearched = (parent: number) =>
			steps.some(
				(one) => one.parent === parent && /^SEARCH (executions|callbacks)/.test(one.detail),
			);
		return steps.some(
			({ parent, detail }) => detail.startsWith('USE TEMP B-TREE') && isSearched(parent),
		);
	});
	expect(found).toEqual([expect.stringContaining('ORDER BY begun DESC, key LIMIT') as string]);
});

it('does not read an execution that starts at its kickoff', async () => {
	const store = await openStore({});
	const given: Claimed[] = [];
	store.offer(() => ({ worker: 'a', take: (claimed) => given.push(...claimed) }));
	statements.clear();
	await store.create(begun());
	await store.close();
	expect(given).toHaveLength(1);
	expect([...statements.keys()].filter((text) => text.includes('JOIN parts'))).toEqual([]);
});
