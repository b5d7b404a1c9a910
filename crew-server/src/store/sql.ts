export type Value = string | number | null;

/**
 * One statement, in SQL for both SQLite and PostgreSQL: with `$1`, `$2` and so on for the values, `:now` for the clock
 * (milliseconds since 1970), or `:date` for one that follows if the machine's clock is corrected, and `FOR UPDATE` to lock
 * rows.
 */
export interface Statement {
	readonly text: string;
	readonly values: readonly Value[];
	/** Whether it returns rows, rather than how many it has changed. */
	readonly givesRows: boolean;
}

/** The clocks in the text of a {@link Statement}, which has one of them at most. */
export const CLOCKS = /:(?:now|date)\b/g;

export interface Outcome {
	readonly rows: readonly unknown[];
	readonly changes: number;
}

/**
 * Work on the database. Each step is a list of statements that do not depend on each other. The work does not see whether
 * its steps are awaited: SQLite answers at once, PostgreSQL does not. An error of PostgreSQL ends the work. SQLite's errors
 * are thrown at the `yield`, so that the work can skip a damaged row.
 */
export type Sql<T> = Generator<readonly Statement[], T, readonly Outcome[]>;

export function* all(text: string, ...values: Value[]): Sql<readonly unknown[]> {
	const [outcome] = yield [{ text, values, givesRows: true }];
	return outcome?.rows ?? [];
}

export function* get(text: string, ...values: Value[]): Sql<unknown> {
	return (yield* all(text, ...values))[0];
}

/** @returns how many rows have changed */
export function* run(text: string, ...values: Value[]): Sql<number> {
	const [outcome] = yield [{ text, values, givesRows: false }];
	return outcome?.changes ?? 0;
}

/** @returns the rows for each of several lists of values */
export function* allEach(
	text: string,
	lists: ReadonlyArray<readonly Value[]>,
): Sql<Array<readonly unknown[]>> {
	if (lists.length === 0) return [];
	const outcomes = yield lists.map((values) => ({ text, values, givesRows: true }));
	return outcomes.map(({ rows }) => rows);
}

/** Runs the same statement with each of several lists of values. */
export function* runEach(text: string, lists: ReadonlyArray<readonly Value[]>): Sql<void> {
	if (lists.length > 0) yield lists.map((values) => ({ text, values, givesRows: false }));
}
