import type { Brief } from '../domain/brief';
import type { Execution, Told } from '../domain/execution';
import { assemble, BRIEF, TOLD, WHOLE, type Excerpt, type ReadPart } from './parts';
import { all, get, type Sql } from './sql';
import { isOfTheDatabase } from './sqlite';
import type { Stored, StoredBrief } from './store';
import type { Sized, StoredCache } from './storedCache';

/** Bytes of a part that is small enough to be read in any case. */
const SMALL = 4_096;

interface Row {
	key: number;
	version: number;
}

/** A name is null if there are no parts; a value is null if it was left out. */
interface ReadRow extends Row {
	state: string;
	data: string;
	name: string | null;
	value: string | null;
}

/** Reads executions, and keeps whole ones at hand for the next time. */
export class ExecutionReader {
	/** Executions that cannot be read, each of which is logged once. */
	private readonly unreadable = new Set<number>();

	constructor(
		private readonly cache: StoredCache,
		private readonly log: (message: string) => void,
	) {}

	/** How many cannot be read. */
	get misses(): number {
		return this.unreadable.size;
	}

	*find(kickoffId: string): Sql<Stored | undefined> {
		return yield* this.kept(yield* this.rowOf(kickoffId));
	}

	*findByKey(key: number): Sql<Stored | undefined> {
		return yield* this.kept(yield* get('SELECT key, version FROM executions WHERE key = $1', key));
	}

	*findBrief(kickoffId: string): Sql<StoredBrief | undefined> {
		return yield* this.briefOf<Brief>(yield* this.rowOf(kickoffId), BRIEF);
	}

	*findTold(kickoffId: string): Sql<Told | undefined> {
		return (yield* this.briefOf<Told>(yield* this.rowOf(kickoffId), TOLD))?.brief;
	}

	private rowOf(kickoffId: string): Sql<unknown> {
		return get('SELECT key, version FROM executions WHERE kickoff_id = $1', kickoffId);
	}

	private *kept(row: unknown): Sql<Stored | undefined> {
		const { key, version } = (row ?? {}) as Partial<Row>;
		const read = key !== undefined && (yield* this.read(key, version ?? 0));
		if (read) this.cache.set(read);
		return read || undefined;
	}

	/** @returns `undefined` if it is gone, or cannot be read, which must not affect the others */
	*read(key: number, version: number): Sql<Sized | undefined> {
		const known = this.cache.get(key, version);
		if (known) return known;
		return yield* this.readable(key, function* () {
			const rows = yield* rowsOf(key, WHOLE);
			return rows[0] && wholeOf(rows[0], rows);
		});
	}

	private *briefOf<T extends Brief>(
		row: unknown,
		excerpt: Excerpt<T>,
	): Sql<(StoredBrief & { brief: T | Execution }) | undefined> {
		if (!row) return undefined;
		const { key, version } = row as Row;
		const known = this.cache.get(key, version)?.execution;
		if (known) return { key, version, brief: known, whole: known };
		const cache = this.cache;
		return yield* this.readable(key, function* () {
			const rows = yield* rowsOf(key, excerpt);
			const [head] = rows;
			if (!head) return undefined;
			if (rows.every(({ name, value }) => name === null || value !== null)) {
				const read = wholeOf(head, rows);
				cache.set(read);
				return { key, version: read.version, brief: read.execution, whole: read.execution };
			}
			return {
				key,
				version: head.version,
				brief: assemble(excerpt, head.state, head.data, partsOf(rows)),
			};
		});
	}

	private *readable<T>(key: number, work: () => Sql<T>): Sql<T | undefined> {
		try {
			return yield* work();
		} catch (error) {
			if (isOfTheDatabase(error)) throw error;
			if (!this.unreadable.has(key)) {
				this.unreadable.add(key);
				this.log(`The execution with the key ${key} cannot be read: ${(error as Error).message}`);
			}
			return undefined;
		}
	}
}

/** One statement, in which nothing changes. */
function* rowsOf(key: number, { condition }: Excerpt<Brief>): Sql<readonly ReadRow[]> {
	return (yield* all(
		`SELECT executions.key, version, state, data, name,
			CASE WHEN ${condition} OR OCTET_LENGTH(value) <= ${SMALL} THEN value END AS value
		FROM executions LEFT JOIN parts ON parts.key = executions.key WHERE executions.key = $1`,
		key,
	)) as ReadRow[];
}

function partsOf(rows: readonly ReadRow[]): ReadPart[] {
	return rows.flatMap(({ name, value }) => (name === null ? [] : [{ name, value }]));
}

/** @throws {Error} if it cannot be an execution */
function wholeOf({ key, version, state, data }: ReadRow, rows: readonly ReadRow[]): Sized {
	const execution = assemble(WHOLE, state, data, partsOf(rows));
	const size = rows.reduce((sum, { value }) => sum + (value?.length ?? 0), data.length);
	return { key, version, execution, size };
}
