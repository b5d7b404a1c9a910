import { type Execution, type ExecutionState } from '../domain/execution';
import { assemble, changedParts, headOf } from './parts';
import { isOfTheDatabase, type Sqlite } from './sqlite';
import { LEASE_TIME, type Claimed, type Lease, type StoreChange, type Stored } from './store';
import type { Sized, StoredCache } from './storedCache';

interface Row {
	key: number;
	kickoff_id: string;
	version: number;
	state: ExecutionState;
	epoch: number;
	worker: string | null;
	data: string;
}

/** The tables of executions and of their parts. */
export class ExecutionTable {
	/** Executions that cannot be read: each is told of once. */
	private readonly unreadable = new Set<number>();

	constructor(
		private readonly sqlite: Sqlite,
		private readonly cache: StoredCache,
		private readonly clock: () => number,
		private readonly log: (message: string) => void,
	) {}

	/** Takes the work from the worker that had it. */
	takeOver(): void {
		this.sqlite.run(`UPDATE executions SET worker = NULL WHERE state = 'running'`);
	}

	insert(execution: Execution): Sized {
		const head = headOf(execution);
		const { key } = this.sqlite.get(
			`INSERT INTO executions
				(kickoff_id, version, state, begun, epoch, lease_until, owner, started_at, finished_at, size, data)
			VALUES ($1, 1, $2, 0, 0, 0, $3, $4, $5, 0, $6) RETURNING key`,
			execution.kickoffId,
			execution.state,
			execution.owner,
			execution.startedAt,
			execution.finishedAt ?? null,
			head,
		) as Pick<Row, 'key'>;
		const size = head.length + this.writeParts(key, undefined, execution);
		return { key, version: 1, execution, size };
	}

	/** @returns the execution as it is from then on, or why it stays as it is */
	update(before: Stored, execution: Execution, lease?: Lease): Sized | 'outdated' | 'lost' {
		const { key, version } = before;
		const head = headOf(execution);
		const changed = this.sqlite.run(
			`UPDATE executions SET version = version + 1, kickoff_id = $3, state = $4, finished_at = $5, data = $6,
				worker = CASE WHEN $7 = 1 THEN worker END
			WHERE key = $1 AND version = $2 ${lease ? 'AND worker = $8 AND epoch = $9' : ''}`,
			key,
			version,
			execution.kickoffId,
			execution.state,
			execution.finishedAt ?? null,
			head,
			execution.state === 'running' ? 1 : 0,
			...(lease ? [lease.worker, lease.epoch] : []),
		);
		if (changed === 0) return lease && !this.isHeld(key, lease) ? 'lost' : 'outdated';
		const written = head.length + this.writeParts(key, before.execution, execution);
		const known = this.cache.sizeOf(key);
		const size = known === undefined ? undefined : known + written;
		return { key, version: version + 1, execution, size };
	}

	private isHeld(key: number, { worker, epoch }: Lease): boolean {
		const row = this.sqlite.get('SELECT worker, epoch FROM executions WHERE key = $1', key) as
			Row | undefined;
		return row?.worker === worker && row.epoch === epoch;
	}

	/** Writes what has changed. @returns how many characters */
	private writeParts(key: number, before: Execution | undefined, after: Execution): number {
		let characters = 0;
		for (const { name, text } of changedParts(before, after)) {
			if (text === undefined) {
				this.sqlite.run('DELETE FROM parts WHERE key = $1 AND name = $2', key, name);
				continue;
			}
			characters += text.length;
			this.sqlite.run(
				`INSERT INTO parts (key, name, value) VALUES ($1, $2, $3)
				ON CONFLICT (key, name) DO UPDATE SET value = excluded.value`,
				key,
				name,
				text,
			);
		}
		return characters;
	}

	/** What a worker is to work on, those first that were begun before, then the oldest. */
	claim(worker: string, limit: number): Array<Claimed & Sized> {
		const rows = this.sqlite.all(
			`SELECT key, version, state, epoch FROM executions
			WHERE state IN ('queued', 'running')
				AND (state = 'queued' OR worker IS NULL OR (lease_until <= $1 AND worker <> $2))
			ORDER BY begun DESC, key LIMIT $3`,
			this.clock(),
			worker,
			limit + this.unreadable.size,
		) as Row[];
		const claimed: Array<Claimed & Sized> = [];
		for (const row of rows) {
			const stored = claimed.length < limit && this.read(row.key, row.version);
			if (stored) claimed.push(this.give(row, stored, worker));
		}
		return claimed;
	}

	private give(
		{ key, version, state, epoch }: Row,
		{ execution, size }: Sized,
		worker: string,
	): Claimed & Sized {
		this.sqlite.run(
			`UPDATE executions SET version = version + 1, state = 'running', begun = 1, epoch = epoch + 1,
				worker = $2, lease_until = $3
			WHERE key = $1`,
			key,
			worker,
			this.clock() + LEASE_TIME,
		);
		return {
			key,
			version: version + 1,
			execution: { ...execution, state: 'running' },
			size,
			lease: { worker, epoch: epoch + 1 },
			wasInterrupted: state === 'running',
		};
	}

	renew(worker: string): Set<number> {
		const rows = this.sqlite.all(
			`UPDATE executions SET lease_until = $2
			WHERE state IN ('queued', 'running') AND worker = $1 RETURNING key`,
			worker,
			this.clock() + LEASE_TIME,
		) as Array<Pick<Row, 'key'>>;
		return new Set(rows.map(({ key }) => key));
	}

	/** What has been read is at hand the next time. */
	find(kickoffId: string): Stored | undefined {
		const text = 'SELECT key, version FROM executions WHERE kickoff_id = $1';
		return this.keep(this.sqlite.get(text, kickoffId) as Row | undefined);
	}

	findByKey(key: number): Stored | undefined {
		const text = 'SELECT key, version FROM executions WHERE key = $1';
		return this.keep(this.sqlite.get(text, key) as Row | undefined);
	}

	private keep(row: Row | undefined): Stored | undefined {
		if (!row) return undefined;
		const read = this.read(row.key, row.version);
		if (read) this.cache.set(read);
		return read;
	}

	/** That something about an execution has changed. */
	changeOf(key: number, hasCallbacks: boolean): StoreChange | undefined {
		const row = this.sqlite.get(
			'SELECT kickoff_id, version, state FROM executions WHERE key = $1',
			key,
		) as Row | undefined;
		if (!row) return undefined;
		const { kickoff_id: kickoffId, version, state } = row;
		return { key, kickoffId, before: kickoffId, state, version, hasCallbacks };
	}

	newest(limit: number): Execution[] {
		return (
			this.sqlite.all(
				'SELECT key, version FROM executions ORDER BY key DESC LIMIT $1',
				limit,
			) as Row[]
		)
			.map(({ key, version }) => this.read(key, version)?.execution)
			.filter((execution) => execution !== undefined);
	}

	count(): Record<ExecutionState, number> {
		const none = {
			queued: 0,
			running: 0,
			pending_human_input: 0,
			completed: 0,
			failed: 0,
			stopped: 0,
		};
		const rows = this.sqlite.all(
			'SELECT state, COUNT(*) AS count FROM executions GROUP BY state',
		) as Array<{ state: ExecutionState; count: number }>;
		return { ...none, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
	}

	/** @returns `undefined` if it cannot be read: all others are not to suffer from that */
	read(key: number, version: number): Sized | undefined {
		const known = this.cache.get(key, version);
		if (known) return known;
		try {
			const { state, data } = this.sqlite.get(
				'SELECT state, data FROM executions WHERE key = $1',
				key,
			) as Row;
			const parts = this.sqlite.all('SELECT name, value FROM parts WHERE key = $1', key) as Array<{
				name: string;
				value: string;
			}>;
			const size = parts.reduce((sum, { value }) => sum + value.length, data.length);
			return { key, version, execution: assemble(state, data, parts), size };
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
