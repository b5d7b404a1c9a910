import type { ExecutionState } from '../domain/execution';
import type { EventTable } from './eventTable';
import { all, get, run, type Sql } from './sql';
import type { StoreChange } from './store';

/** How much is kept of executions that have ended; the newest one is always kept. */
export interface RetentionLimits {
	/** The number of executions. */
	executions: number;
	/** The characters of everything that is kept of them. */
	characters: number;
	/** Milliseconds since their end (default: any). */
	age?: number;
}

/** How much is removed at once: others get their turn in between. */
const EXECUTIONS_AT_ONCE = 10;
const EVENTS_AT_ONCE = 500;
/** How many executions are checked for removal at once. */
const LOOKED_AT = 100;

const ENDED = `state IN ('completed', 'failed', 'stopped')`;
/** The next number in the order in which executions end. */
export const NEXT_END = '(SELECT COALESCE(MAX(ended) + 1, 1) FROM executions)';
const HAS_TO_CALL = `EXISTS (
	SELECT 1 FROM callbacks
	WHERE callbacks.key = executions.key AND callbacks.state IN ('waiting', 'due', 'claimed')
)`;

interface Row {
	key: number;
	kickoff_id: string;
	version: number;
	state: ExecutionState;
	size: number;
	has_to_call: number;
}

/** Removes executions: on request, and the ones that ended first if there are too many. */
export class Retention {
	constructor(
		private readonly events: EventTable,
		private readonly limits: RetentionLimits,
	) {}

	/** Notes how much is kept of an execution that has ended. */
	*weigh(key: number): Sql<void> {
		if (this.limits.characters === Infinity) return;
		yield* run(
			`UPDATE executions SET size = LENGTH(data)
				+ (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM parts WHERE key = $1)
				+ (SELECT COALESCE(SUM(LENGTH(event)), 0) FROM events WHERE key = $1)
			WHERE key = $1`,
			key,
		);
	}

	/** Removes some of what is due for removal. @returns what is gone; `undefined` if nothing is due */
	*removeSome(): Sql<StoreChange[] | undefined> {
		if (yield* this.removeEvents()) return [];
		const changes: StoreChange[] = [];
		const tooMany = yield* this.tooMany();
		const toRemove = tooMany.length > 0 ? tooMany : yield* this.tooOld();
		for (const row of toRemove) changes.push(yield* this.remove(row));
		return changes.length === 0 ? undefined : changes;
	}

	/** Removes an execution that has ended. */
	*forget(kickoffId: string): Sql<StoreChange | undefined> {
		const row = (yield* get(
			`SELECT key, kickoff_id, version, state FROM executions WHERE kickoff_id = $1 AND ${ENDED}`,
			kickoffId,
		)) as Row | undefined;
		return row && (yield* this.remove(row));
	}

	/** Removes an execution, except its events, which are removed piece by piece. */
	private *remove({ key, kickoff_id: kickoffId, version, state }: Row): Sql<StoreChange> {
		for (const table of ['executions', 'parts', 'callbacks']) {
			yield* run(`DELETE FROM ${table} WHERE key = $1`, key);
		}
		yield* run('INSERT INTO removed (key) VALUES ($1) ON CONFLICT DO NOTHING', key);
		return { key, kickoffId, before: kickoffId, state, version, hasCallbacks: false };
	}

	private *removeEvents(): Sql<boolean> {
		const row = (yield* get('SELECT key FROM removed LIMIT 1')) as Pick<Row, 'key'> | undefined;
		if (!row) return false;
		const isDone = (yield* this.events.removeSome(row.key, EVENTS_AT_ONCE)) === 0;
		if (isDone) yield* run('DELETE FROM removed WHERE key = $1', row.key);
		return true;
	}

	/** The executions that ended first, if there are too many; not those with callbacks still to send. */
	private *tooMany(): Sql<Row[]> {
		const { count, size } = (yield* get(
			`SELECT COUNT(*) AS count, ${this.limits.characters === Infinity ? 0 : 'COALESCE(SUM(size), 0)'} AS size
			FROM executions WHERE ${ENDED}`,
		)) as { count: number; size: number };
		let executions = count - this.limits.executions;
		let characters = size - this.limits.characters;
		if (executions <= 0 && characters <= 0) return [];
		// Servers of earlier versions do not record the order of ends.
		yield* run(`UPDATE executions SET ended = ${NEXT_END} WHERE ended IS NULL AND ${ENDED}`);
		const oldest = (yield* all(
			`SELECT key, kickoff_id, version, state, size, ${HAS_TO_CALL} AS has_to_call FROM executions
			WHERE ended IS NOT NULL ORDER BY ended, key LIMIT $1`,
			Math.min(LOOKED_AT, count - 1),
		)) as Row[];
		const tooMany = oldest.filter((row) => {
			const isTooMuch = executions > 0 || characters > 0;
			executions -= 1;
			characters -= row.size;
			return isTooMuch && !row.has_to_call;
		});
		return tooMany.slice(0, EXECUTIONS_AT_ONCE);
	}

	private *tooOld(): Sql<Row[]> {
		const { age } = this.limits;
		if (age === undefined) return [];
		return (yield* all(
			`SELECT key, kickoff_id, version, state, size FROM executions
			WHERE finished_at < :date - $1 AND NOT ${HAS_TO_CALL} ORDER BY finished_at, key LIMIT $2`,
			age,
			EXECUTIONS_AT_ONCE,
		)) as Row[];
	}
}
