import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';

import { run, type Sql } from '../sql';
import { send } from './connection';

/** What a transaction leaves behind to be recognized by: its connection, and its number there. */
export interface Mark {
	connection: string;
	number: number;
}

/** The last mark of each connection. */
const marks = new WeakMap<Client, Mark>();

function nextMark(client: Client): Mark {
	const { connection, number } = marks.get(client) ?? { connection: randomUUID(), number: 0 };
	const next = { connection, number: number + 1 };
	marks.set(client, next);
	return next;
}

/** One transaction, in which several pieces of work are done at the same time. */
export class Transaction {
	readonly mark: Mark;
	private isEnding = false;

	constructor(private readonly client: Client) {
		this.mark = nextMark(client);
	}

	/** Whether it may have been committed, see {@link isCommitted}. */
	get isInDoubt(): boolean {
		return this.isEnding;
	}

	/**
	 * Does all pieces of work at the same time: their steps are sent together.
	 *
	 * @returns the result of each piece; if one fails, it rejects, and nothing was done
	 */
	async perform<T>(pieces: ReadonlyArray<Sql<T>>): Promise<T[]> {
		const begun = this.begin();
		const ends = await Promise.allSettled([begun, ...pieces.map((piece) => this.go(piece))]);
		const failed = ends.filter((end) => end.status === 'rejected');
		// The errors after the first one only say that an earlier statement failed.
		const first = failed.find(({ reason }) => !isAftermath(reason)) ?? failed[0];
		if (first) throw first.reason;
		return ends.slice(1).map((end) => (end as PromiseFulfilledResult<T>).value);
	}

	private async begin(): Promise<void> {
		const beginning = this.client.query('BEGIN');
		await Promise.all([beginning, this.go(leave(this.mark))]);
	}

	private async go<T>(piece: Sql<T>): Promise<T> {
		let step = piece.next();
		while (!step.done) step = piece.next(await send(this.client, step.value));
		return step.value;
	}

	/** @param notices to send to everyone who listens to the channel, if it is committed */
	async commit(channel: string, notices: readonly string[]): Promise<void> {
		const told = notices.map((notice) =>
			this.client.query({
				name: 'notify',
				text: 'SELECT pg_notify($1, $2)',
				values: [channel, notice],
			}),
		);
		this.isEnding = true;
		const ending = this.client.query('COMMIT');
		const [end] = await Promise.allSettled([ending, ...told]);
		if (end.status === 'rejected') throw end.reason;
		this.isEnding = false;
		if (end.value.command !== 'COMMIT') throw new Error('the transaction was not committed');
	}

	/** Rolls back. If that fails, the end of the connection does it. */
	async rollBack(): Promise<void> {
		await this.client.query('ROLLBACK').catch(() => undefined);
	}
}

/** PostgreSQL's code for all statements after one that failed. */
const IN_FAILED_TRANSACTION = '25P02';
const isAftermath = (error: unknown) => (error as { code?: string }).code === IN_FAILED_TRANSACTION;

function leave({ connection, number }: Mark): Sql<number> {
	return run(
		`INSERT INTO commits (connection, number, at) VALUES ($1, $2, :now)
		ON CONFLICT (connection) DO UPDATE SET number = excluded.number, at = excluded.at`,
		connection,
		number,
	);
}

/**
 * Whether a transaction was committed; waits for its end if necessary. PostgreSQL's own number of it is no help: after a
 * crash, another transaction may have that number.
 */
export async function isCommitted(client: Client, { connection, number }: Mark): Promise<boolean> {
	const { rows } = await client.query<{ number: number }>(
		`INSERT INTO commits (connection, number, at) VALUES ($1, 0, crew_now())
		ON CONFLICT (connection) DO UPDATE SET at = excluded.at RETURNING number`,
		[connection],
	);
	return rows[0]?.number === number;
}

/** Milliseconds for which commits are recorded, much longer than anyone asks for them. */
const KEPT_COMMITS = 24 * 3_600_000;

/** Removes the records of old transactions. */
export async function forgetCommits(client: Client, schema: string): Promise<void> {
	await client.query(
		`DELETE FROM ${schema}.commits WHERE at < ${schema}.crew_now() - ${KEPT_COMMITS}::BIGINT`,
	);
}
