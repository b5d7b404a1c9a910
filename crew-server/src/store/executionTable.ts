import { type Execution, type ExecutionState } from '../domain/execution';
import type { ExecutionReader } from './executionReader';
import { changedParts, headOf } from './parts';
import { NEXT_END } from './retention';
import { fitsServer, type ServerIdentity } from './serverTable';
import { all, get, run, runEach, type Sql } from './sql';
import { LEASE_TIME, type Claimed, type Lease, type StoreChange, type Stored } from './store';
import type { Sized, StoredCache } from './storedCache';

interface Row {
	key: number;
	kickoff_id: string;
	version: number;
	state: ExecutionState;
	epoch: number;
	worker: string | null;
	project: string | null;
	machine: string | null;
}

/** What changes with the state or the identifier alone: SQLite would rewrite the indexes of these columns each time. */
const MOVE = `, kickoff_id = $7, state = $8, finished_at = $9,
	ended = CASE WHEN CAST($9 AS BIGINT) IS NOT NULL THEN COALESCE(ended, ${NEXT_END}) END,
	worker = CASE WHEN $8 = 'running' THEN worker END,
	queued_at = CASE WHEN $8 = 'queued' AND state <> 'queued' THEN :now ELSE queued_at END`;

/** The tables of executions and of their parts. */
export class ExecutionTable {
	constructor(
		private readonly cache: StoredCache,
		private readonly reader: ExecutionReader,
		/** How many executions all servers of the database run at once. */
		private readonly fleetParallel: number,
		private readonly server: ServerIdentity,
	) {}

	*insert(execution: Execution): Sql<Sized> {
		const head = headOf(execution);
		const { key } = (yield* get(
			`INSERT INTO executions
				(kickoff_id, version, state, begun, epoch, lease_until, owner, started_at, finished_at, size, data, queued_at, project)
			VALUES ($1, 1, $2, 0, 0, 0, $3, $4, $5, 0, $6, :now, $7) RETURNING key`,
			execution.kickoffId,
			execution.state,
			execution.owner,
			execution.startedAt,
			execution.finishedAt ?? null,
			head,
			this.server.project ?? null,
		)) as Pick<Row, 'key'>;
		const size = head.length + (yield* this.writeParts(key, undefined, execution));
		return { key, version: 1, execution, size };
	}

	/** @returns the execution in its new state, or why it has not changed */
	*update(before: Stored, execution: Execution, lease?: Lease): Sql<Sized | 'outdated' | 'lost'> {
		const { key, version } = before;
		const head = headOf(execution);
		const { kickoffId, state } = execution;
		const isMoved = kickoffId !== before.execution.kickoffId || state !== before.execution.state;
		const changed = yield* run(
			`UPDATE executions SET version = version + 1, data = $3, machine = COALESCE($4, machine)
				${isMoved ? MOVE : ''}
			WHERE key = $1 AND version = $2
				AND (CAST($5 AS TEXT) IS NULL OR (worker = $5 AND epoch = $6))`,
			key,
			version,
			head,
			(lease && execution.hasFiles && this.server.machine) || null,
			lease?.worker ?? null,
			lease?.epoch ?? null,
			...(isMoved ? [kickoffId, state, execution.finishedAt ?? null] : []),
		);
		if (changed === 0) return lease && !(yield* this.isHeld(key, lease)) ? 'lost' : 'outdated';
		const written = head.length + (yield* this.writeParts(key, before.execution, execution));
		const known = this.cache.sizeOf(key);
		const size = known === undefined ? undefined : known + written;
		return { key, version: version + 1, execution, size };
	}

	private *isHeld(key: number, { worker, epoch }: Lease): Sql<boolean> {
		const row = (yield* get('SELECT worker, epoch FROM executions WHERE key = $1', key)) as
			Row | undefined;
		return row?.worker === worker && row.epoch === epoch;
	}

	/** Writes what has changed. @returns how many characters */
	private *writeParts(key: number, before: Execution | undefined, after: Execution): Sql<number> {
		const parts = changedParts(before, after);
		yield* runEach(
			'DELETE FROM parts WHERE key = $1 AND name = $2',
			parts.flatMap(({ name, text }) => (text === undefined ? [[key, name]] : [])),
		);
		yield* runEach(
			`INSERT INTO parts (key, name, value) VALUES ($1, $2, $3)
			ON CONFLICT (key, name) DO UPDATE SET value = excluded.value`,
			parts.flatMap(({ name, text }) => (text === undefined ? [] : [[key, name, text]])),
		);
		return parts.reduce((sum, { text = '' }) => sum + text.length, 0);
	}

	/**
	 * Claims executions for a worker: first those that had begun, then the oldest.
	 *
	 * @param created in the same transaction, so that it need not be read
	 */
	*claim(worker: string, limit: number, created?: Sized): Sql<Array<Claimed & Sized>> {
		let places = yield* this.freePlaces();
		const rows = (yield* all(
			`SELECT key, version, state, epoch, project, machine FROM executions
			WHERE state IN ('queued', 'running')
				AND (state = 'queued' OR worker IS NULL OR (lease_until <= :now AND worker <> $1))
				AND ${fitsServer('$3', '$4')}
			ORDER BY begun DESC, key LIMIT $2 FOR UPDATE SKIP LOCKED`,
			worker,
			limit + this.reader.misses,
			this.server.project ?? null,
			this.server.machine ?? null,
		)) as Row[];
		const claimed: Array<Claimed & Sized> = [];
		for (const row of rows) {
			// An execution that had begun keeps its place.
			const hasPlace = row.state === 'running' || places > 0;
			const hasRoom = hasPlace && claimed.length < limit;
			if (!hasRoom) continue;
			const stored =
				row.key === created?.key ? created : yield* this.reader.read(row.key, row.version);
			const given = stored && (yield* this.give(row, stored, worker));
			if (!given) continue;
			claimed.push(given);
			if (row.state === 'queued') places -= 1;
		}
		return claimed;
	}

	/** How many more executions may run. Nobody else takes a place until the end of the transaction. */
	private *freePlaces(): Sql<number> {
		if (this.fleetParallel === Infinity) return Infinity;
		yield* get(`SELECT pg_advisory_xact_lock(hashtext('places'), hashtext(current_schema()))`);
		return this.fleetParallel - (yield* this.count('running'));
	}

	/** @returns `undefined` if a client has changed it in the same transaction */
	private *give(
		{ key, version, state, epoch, project, machine }: Row,
		{ execution, size }: Sized,
		worker: string,
	): Sql<(Claimed & Sized) | undefined> {
		const changed = yield* run(
			`UPDATE executions SET version = version + 1, state = 'running', begun = 1, epoch = epoch + 1,
				worker = $3, lease_until = :now + $4, project = COALESCE($5, project),
				machine = CASE WHEN machine IS NOT NULL THEN $6 END
			WHERE key = $1 AND version = $2`,
			key,
			version,
			worker,
			LEASE_TIME,
			this.server.project ?? null,
			this.server.machine ?? null,
		);
		if (changed === 0) return undefined;
		return {
			key,
			version: version + 1,
			execution: { ...execution, state: 'running' },
			size,
			lease: { worker, epoch: epoch + 1 },
			wasInterrupted: state === 'running',
			isOfOtherProject: project !== null && project !== (this.server.project ?? project),
			filesAreElsewhere: machine !== null && machine !== this.server.machine,
		};
	}

	*renew(worker: string): Sql<Map<number, number>> {
		const rows = (yield* all(
			`UPDATE executions SET lease_until = :now + $2
			WHERE state IN ('queued', 'running') AND worker = $1 RETURNING key, version`,
			worker,
			LEASE_TIME,
		)) as Array<Pick<Row, 'key' | 'version'>>;
		return new Map(rows.map(({ key, version }) => [key, version]));
	}

	*nextLapse(worker: string): Sql<number | undefined> {
		const row = (yield* get(
			`SELECT MIN(lease_until) - :now AS pause FROM executions WHERE state = 'running' AND worker <> $1`,
			worker,
		)) as { pause: number | null } | undefined;
		return row?.pause ?? undefined;
	}

	/** The notice that something about an execution has changed. */
	*changeOf(key: number, hasCallbacks: boolean): Sql<StoreChange | undefined> {
		const row = (yield* get(
			'SELECT kickoff_id, version, state FROM executions WHERE key = $1',
			key,
		)) as Row | undefined;
		if (!row) return undefined;
		const { kickoff_id: kickoffId, version, state } = row;
		return { key, kickoffId, before: kickoffId, state, version, hasCallbacks };
	}

	*newest(limit: number): Sql<Execution[]> {
		const rows = (yield* all(
			'SELECT key, version FROM executions ORDER BY key DESC LIMIT $1',
			limit,
		)) as Row[];
		const newest: Execution[] = [];
		for (const { key, version } of rows) {
			const read = yield* this.reader.read(key, version);
			if (read) newest.push(read.execution);
		}
		return newest;
	}

	*count(state: ExecutionState): Sql<number> {
		const row = yield* get('SELECT COUNT(*) AS count FROM executions WHERE state = $1', state);
		return (row as { count: number }).count;
	}

	/** Milliseconds for which the oldest queued execution has waited; 0 if there is none. */
	*longestWait(): Sql<number> {
		const row = yield* get(
			`SELECT COALESCE(MAX(:now - queued_at), 0) AS wait FROM executions WHERE state = 'queued'`,
		);
		return (row as { wait: number }).wait;
	}
}
